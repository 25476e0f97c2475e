import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, statfsSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory that can be made full, and have a little or all of its room again. */
export type SmallDisk = {
  readonly path: string
  fill(): void
  /** Gives room for about so many bytes. */
  leave(bytes: number): void
  dispose(): void
}

/**
 * The ways to a full disk that this machine has, by name: a mount needs the right to it, a limit the program `prlimit`.
 * Where it has neither the one test throws and says so, rather than pass with nothing tried.
 */
export function smallDisks(): [string, () => SmallDisk][] {
  const probe = mountSmallDisk()
  probe?.dispose()
  const ways: [string, () => SmallDisk][] = []
  if (probe !== null) ways.push(['a file system of its own', () => mountSmallDisk() ?? noWay()])
  if (hasPrlimit()) ways.push(['a limit on file sizes', limitFileSize])
  return ways.length > 0 ? ways : [['no way to one', noWay]]
}

function noWay(): never {
  throw new Error('This machine lets this test neither mount a file system nor run prlimit (util-linux)')
}

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A file system of its own, of 4 MB. `null` where this process may not mount one. */
function mountSmallDisk(): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    rmSync(path, { recursive: true })
    return null
  }
  const ballast = join(path, 'ballast')
  return {
    path,
    fill: () => {
      for (let room = pagesLeft(path); room > 0; room = pagesLeft(path)) {
        appendFileSync(ballast, Buffer.alloc(room * pageBytes))
      }
    },
    leave: (bytes) => {
      truncateSync(ballast, Math.max(0, statSync(ballast).size - bytes))
    },
    dispose: () => {
      // Lazily: a test that failed may hold files open.
      execFileSync('umount', ['-l', path])
      rmSync(path, { recursive: true })
    },
  }
}

/**
 * The same for who may not mount: a limit on how far this process may write into any file, which the system answers like
 * a full disk (EFBIG for ENOSPC). It needs `prlimit` of util-linux.
 */
function limitFileSize(): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  const limit = (bytes: number | 'unlimited') =>
    execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:unlimited`])
  // Without a listener the system ends a process that writes beyond its limit.
  const ignore = () => {}
  process.on('SIGXFSZ', ignore)
  return {
    path,
    fill: () => void limit(0),
    leave: (bytes) => void limit(bytes),
    dispose: () => {
      limit('unlimited')
      process.off('SIGXFSZ', ignore)
    },
  }
}

const diskBytes = 4 * 1024 * 1024
const pageBytes = 4096

function pagesLeft(path: string): number {
  const { bfree, bsize } = statfsSync(path)
  return Math.floor((bfree * bsize) / pageBytes)
}
