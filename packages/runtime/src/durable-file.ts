import {
  closeSync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a small file so that after a crash either the old or the new text stands, never a torn one: a temporary file
 * of mode 0600 is written and fsynced, renamed over `path`, and the folder is fsynced. The thread is left for the two syncs
 * alone: all else takes microseconds, and each of those turns of the pool took longer.
 */
export async function replaceFileDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await withFile(temporary, 'w', (file) => {
      writeFileSync(file, text)
      return synced(file)
    })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

/** Makes the names in a folder durable: a file that was made or renamed there is found after a crash. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, 'r', synced)
}

async function withFile(path: string, flags: 'r' | 'w', work: (file: number) => Promise<void>): Promise<void> {
  const file = openSync(path, flags, 0o600)
  try {
    await work(file)
  } finally {
    closeSync(file)
  }
}

function synced(file: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(file, (error) => (error === null ? resolve() : reject(error))))
}

/**
 * The text of a small file of the data directory, or `null` when there is none. Every other failure is thrown. Read
 * without leaving the thread, which takes microseconds: a write reads several of them, and each turn of the pool would
 * cost it more than the file does.
 */
export async function readFileIfPresent(path: string): Promise<string | null> {
  // Most are absent most of the time, and an error that is made to be caught costs more than a look.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return null
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/**
 * Makes a directory, and those above it that are missing, for their owner alone (0700); one that is there stays as it is.
 * Level by level: where the system refuses a new name as missing (`/proc`), the recursive call of Node 20 tries for ever.
 * Throws the error of the system, which {@link directoryObstacle} puts into words.
 */
export function makeDirectory(path: string): void {
  const error = refusalOf(path)
  if (error === null) return
  if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
  makeDirectory(dirname(path))
  const again = refusalOf(path)
  if (again !== null) throw again
}

/** What the system says against a new directory; `null` where it is made, or there already. */
function refusalOf(path: string): unknown {
  try {
    mkdirSync(path, { mode: 0o700 })
    return null
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    return isThere ? null : error
  }
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null
}

/** Why the system lets nothing be kept in a directory, with its code, as in `the disk is full (ENOSPC)`; `null` for any other error. */
export function directoryObstacle(error: unknown): string | null {
  const code = codeOf(error)
  const obstacle = Object.entries(obstacles).find(([known]) => known === code)?.[1]
  return obstacle === undefined ? null : `${obstacle} (${code})`
}

const obstacles = {
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file of this name is in its place',
  ENOENT: 'the system makes no directory there',
  ENOTDIR: 'a part of this path is a file and no directory',
  ENOSPC: 'the disk is full',
}
