import { readFileSync, statSync } from 'node:fs'

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
