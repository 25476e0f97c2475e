import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { replaceFileDurably } from '@svc/runtime'

/**
 * Puts a new content in place of a policy file at once, mode 0600, and keeps the former beside it as `.bak`. Throws, and
 * changes nothing, where the file is no longer the one that was read.
 *
 * @param sha256 of the file that was read; `null` where there was none
 */
export async function replacePolicy(
  path: string,
  content: unknown,
  sha256: string | null,
): Promise<{ readonly backup: string | null }> {
  // Where the name is a link, what it stands for is replaced.
  const file = await realpath(path).catch(() => path)
  const before = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  const now = before === null ? null : createHash('sha256').update(before).digest('hex')
  if (now !== sha256)
    throw new Error(`${path} was changed by somebody else meanwhile; nothing was written. Run it again.`)
  const backup = before === null ? null : `${file}.bak`
  if (before !== null && backup !== null) await replaceFileDurably(backup, before.toString('utf8'))
  await replaceFileDurably(file, `${JSON.stringify(content, null, 2)}\n`)
  return { backup }
}
