import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { checkpointsName, readCheckpoints, readTail, type RotatedFile, rotatedFiles } from './audit-files.ts'

/**
 * Copies the audit log of a data directory into another one, beside the server that writes it: all rotated files with their checkpoints, and
 * of the file in use every line that is whole. Resolves to the names of what was written, none where there is no log.
 */
export async function copyAuditLog(dataDir: string, into: string): Promise<readonly string[]> {
  // Held before the others are listed, so that one which is renamed meanwhile is copied once, under its new name.
  const held = await openCurrent(join(dataDir, currentName))
  try {
    const rotated = await upTo(held, dataDir, await rotatedFiles(dataDir))
    for (const { name } of rotated) await copy(createReadStream(join(dataDir, name)), join(into, name))
    const last = rotated.at(-1)?.index ?? 0
    const known = [...(await readCheckpoints(dataDir))].filter(([index]) => index <= last)
    const checkpoints = known.length === 0 ? [] : [checkpointsName]
    for (const name of checkpoints) await copy([JSON.stringify(Object.fromEntries(known))], join(into, name))
    const isCurrent = held !== null && (last === 0 || !(await isSame(held, join(dataDir, `audit-${last}.jsonl`))))
    if (isCurrent) {
      const { size } = await readTail(held)
      const lines = size === 0 ? [] : held.createReadStream({ start: 0, end: size - 1, autoClose: false })
      await copy(lines, join(into, currentName))
    }
    return [...rotated.map(({ name }) => name), ...checkpoints, ...(isCurrent ? [currentName] : [])]
  } finally {
    await held?.close()
  }
}

const currentName = 'audit.jsonl'

/** `null` where there is none, as between two files. */
async function openCurrent(path: string): Promise<FileHandle | null> {
  return open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Without those that were begun after the one that is held: the copy ends with that. */
async function upTo(
  held: FileHandle | null,
  dataDir: string,
  rotated: readonly RotatedFile[],
): Promise<readonly RotatedFile[]> {
  if (held === null) return rotated
  // Most of the time none is, and else it is one of the newest.
  for (let index = rotated.length - 1; index >= 0 && index >= rotated.length - mostBegun; index -= 1) {
    if (await isSame(held, join(dataDir, rotated[index]?.name ?? ''))) return rotated.slice(0, index + 1)
  }
  return rotated
}

/** So many files are not begun in the time that it takes to list them. */
const mostBegun = 100

async function isSame(held: FileHandle, path: string): Promise<boolean> {
  const [one, other] = await Promise.all([held.stat(), stat(path)])
  return one.ino === other.ino
}

async function copy(from: NodeJS.ReadableStream | readonly string[], path: string): Promise<void> {
  await pipeline(from, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
}
