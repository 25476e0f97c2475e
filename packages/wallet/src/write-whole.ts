import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { WalletError } from './wallet-error.ts'

/**
 * Writes a file of mode 0600 that is there as a whole or not at all, and durable when the promise resolves: under the name
 * `beside` first, then `place` puts it where it belongs, by default in the place of what is there.
 */
export async function writeWhole(
  path: string,
  text: string,
  beside: string,
  place: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  const file = await open(beside, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await place(beside, path)
  await syncFolderOf(path)
}

/** A name is durable only when its folder is. */
export async function syncFolderOf(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * Makes a folder, and those above it that are missing, for their owner alone (0700). Level by level: where the system refuses
 * a new name as missing (`/proc`), the recursive call of Node 20 tries for ever. Throws `JOURNAL_UNREADABLE`.
 */
export async function makeFolder(path: string): Promise<void> {
  const cause = await refusalOf(path)
  if (cause === null) return
  if (isCode(cause, 'ENOENT') && dirname(path) !== path) {
    await makeFolder(dirname(path))
    if ((await refusalOf(path)) === null) return
  }
  throw new WalletError('JOURNAL_UNREADABLE', `The folder ${path} cannot be made.`, {
    cause,
    suggestion: 'Name a file in a folder that this user may write to.',
    details: { path },
  })
}

/** What the system says against a new folder; `null` where it is made, or there already. */
async function refusalOf(path: string): Promise<unknown> {
  try {
    await mkdir(path, { mode: 0o700 })
    return null
  } catch (error) {
    const isThere = isCode(error, 'EEXIST') && (await stat(path).catch(() => null))?.isDirectory() === true
    return isThere ? null : error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
