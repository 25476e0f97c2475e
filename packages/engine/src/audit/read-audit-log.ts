import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { rotatedFiles } from './audit-files.ts'

/**
 * The lines of the audit log in a data directory, oldest first, from rotated file `from` on. It may run beside the server:
 * the file in use is held before the others are listed, so that one renamed meanwhile is read once.
 */
export async function* readAuditLog(
  dataDir: string,
  options: { readonly from?: number } = {},
): AsyncGenerator<AuditText> {
  const current = await openCurrent(join(dataDir, currentName))
  try {
    for (const { name, index } of await rotatedFiles(dataDir)) {
      if (index < (options.from ?? 0)) continue
      const path = join(dataDir, name)
      if (current !== null && (await inodeOf(path)) === current.inode) continue
      yield* linesOf(name, index, createReadStream(path))
    }
    if (current === null) return
    yield* linesOf(currentName, null, current.file.createReadStream({ start: 0, autoClose: false }))
  } finally {
    await current?.file.close()
  }
}

/** One line as it stands in its file. */
export type AuditText = {
  readonly file: string
  /** Of a rotated file; `null` for the one in use. */
  readonly index: number | null
  /** From 1. */
  readonly line: number
  readonly text: string
  /** False for a last line that is just being written, or was torn by a crash. */
  readonly isWhole: boolean
}

const currentName = 'audit.jsonl'

async function openCurrent(path: string) {
  try {
    const file = await open(path, 'r')
    return { file, inode: (await file.stat()).ino }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

async function inodeOf(path: string): Promise<number> {
  const file = await open(path, 'r')
  try {
    return (await file.stat()).ino
  } finally {
    await file.close()
  }
}

async function* linesOf(file: string, index: number | null, stream: AsyncIterable<Buffer>): AsyncGenerator<AuditText> {
  let rest = Buffer.alloc(0)
  let line = 0
  for await (const chunk of stream) {
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      line += 1
      yield { file, index, line, text: bytes.toString('utf8', start, end), isWhole: true }
      start = end + 1
    }
    rest = bytes.subarray(start)
  }
  if (rest.length > 0) yield { file, index, line: line + 1, text: rest.toString('utf8'), isWhole: false }
}

const newline = 0x0a
