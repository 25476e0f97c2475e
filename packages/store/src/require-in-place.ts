import { stat } from 'node:fs/promises'
import { StoreError } from './store-error.ts'

/**
 * Remembers which file stands at a path, and makes the check that it still does. A database whose file was deleted or
 * replaced goes on taking writes that nobody will ever read; the check throws `STORE_REPLACED` then.
 */
export async function requireInPlace(path: string): Promise<() => Promise<void>> {
  const opened = await identityOf(path)
  return async () => {
    if ((await identityOf(path).catch(() => null)) === opened) return
    throw new StoreError('STORE_REPLACED', 'The file of the database was deleted or replaced while it was open.')
  }
}

async function identityOf(path: string): Promise<string> {
  const { dev, ino } = await stat(path, { bigint: true })
  return `${dev}:${ino}`
}
