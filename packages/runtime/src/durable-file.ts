import { readFileSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a small file so that after a crash either the old or the new text stands, never a torn one: a temporary file
 * of mode 0600 is written and fsynced, renamed over `path`, and the folder is fsynced.
 */
export async function replaceFileDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await writeDurably(temporary, text)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
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
