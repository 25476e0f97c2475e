import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Gives a run of the tests a temporary directory of its own, and takes it away with all that the tests left in it. It stands in
 * memory where there is room: stores and logs wait for the disk at every write, and what a killed process leaves is the same.
 */
export function setup(): () => void {
  const before = process.env['TMPDIR']
  const directory = mkdtempSync(join(before === undefined && memoryHasRoom() ? memory : tmpdir(), 'svc-run-'))
  // A database server started as root runs as another user, who has to come through.
  chmodSync(directory, 0o711)
  process.env['TMPDIR'] = directory
  return () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    // What ends with the workers may still be taking its own files away.
    rmSync(directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
  }
}

const memory = '/dev/shm'

/** For what a run leaves (databases, and a store of a megabyte for each pipeline), and room to spare. */
const neededBytes = 6 * 1_024 ** 3

/** Whether this machine has such a place, which lets programs be started from it: a browser is unpacked there. */
function memoryHasRoom(): boolean {
  try {
    const [, options = 'noexec'] =
      new RegExp(`^\\S+ ${memory} tmpfs (\\S+)`, 'm').exec(readFileSync('/proc/mounts', 'utf8')) ?? []
    const available = Number(/^MemAvailable: +(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) * 1_024
    const { bavail, bsize } = statfsSync(memory)
    return !options.split(',').includes('noexec') && Math.min(bavail * bsize, available) >= neededBytes
  } catch {
    return false
  }
}
