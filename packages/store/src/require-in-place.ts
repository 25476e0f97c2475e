import { statSync } from 'node:fs'
import { StoreError } from './store-error.ts'

/**
 * Remembers which file stands at a path, and makes the check that it still does. A database whose file was deleted or
 * replaced goes on taking writes that nobody will ever read; the check throws `STORE_REPLACED` then. It looks without
 * leaving the thread, as the engine reads and writes the same file: that takes microseconds, a turn of the pool many.
 */
export function requireInPlace(path: string): () => void {
  const opened = identityOf(path)
  return () => {
    if (isAt(path, opened)) return
    throw new StoreError('STORE_REPLACED', 'The file of the database was deleted or replaced while it was open.')
  }
}

function isAt(path: string, identity: string): boolean {
  try {
    return identityOf(path) === identity
  } catch {
    return false
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}
