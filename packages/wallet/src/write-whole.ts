import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

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
