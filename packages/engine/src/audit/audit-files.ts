import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { replaceFileDurably } from '@svc/runtime'
import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** The rotated files of a log, oldest first. */
export async function rotatedFiles(folder: string): Promise<readonly RotatedFile[]> {
  const names = await readdir(folder)
  return names
    .flatMap((name) => {
      const index = /^audit-([1-9]\d{0,8})\.jsonl$/.exec(name)?.[1]
      return index === undefined ? [] : [{ name, index: Number(index) }]
    })
    .sort((one, other) => one.index - other.index)
}

type RotatedFile = { readonly name: string; readonly index: number }

/** A number that none had before, those moved away included: their checkpoints say where the log goes on without them. */
export async function nextRotatedName(folder: string): Promise<string> {
  const [files, checkpoints] = await Promise.all([rotatedFiles(folder), readCheckpoints(folder)])
  const used = [...files.map(({ index }) => index), ...checkpoints.keys()]
  return `audit-${Math.max(0, ...used) + 1}.jsonl`
}

/** Where the chain stands at the end of the newest rotated file. */
export async function newestTail(folder: string): Promise<Pick<AuditTail, 'seq' | 'hash'>> {
  const newest = (await rotatedFiles(folder)).at(-1)
  return newest === undefined ? { seq: 0, hash: '0'.repeat(64) } : tailOf(join(folder, newest.name))
}

/**
 * Writes down, for each rotated file that has none yet, where the chain stands at its end: the point from which the files
 * after it can be verified when it has been moved away.
 */
export async function writeCheckpoints(folder: string): Promise<void> {
  const known = await readCheckpoints(folder)
  const missing = (await rotatedFiles(folder)).filter(({ index }) => !known.has(index))
  if (missing.length === 0) return
  const added = await Promise.all(
    missing.map(async ({ name, index }): Promise<readonly [number, Checkpoint]> => {
      const { seq, hash } = await tailOf(join(folder, name))
      return [index, { seq, hash }]
    }),
  )
  await replaceFileDurably(join(folder, checkpointsName), JSON.stringify(Object.fromEntries([...known, ...added])))
}

/** By number of the rotated file. Empty where the file is missing or makes no sense. */
export async function readCheckpoints(folder: string): Promise<ReadonlyMap<number, Checkpoint>> {
  try {
    const file = checkpointsSchema.parse(JSON.parse(await readFile(join(folder, checkpointsName), 'utf8')))
    return new Map(Object.entries(file).map(([index, checkpoint]) => [Number(index), checkpoint]))
  } catch {
    return new Map()
  }
}

/** Number and hash of the last line of a file. */
export type Checkpoint = z.output<typeof checkpointSchema>

/** The last whole line of a file, the bytes up to its end, and those of a torn one behind it. */
export async function readTail(file: FileHandle): Promise<AuditTail> {
  const { size: fileSize } = await file.stat()
  const span = Math.min(fileSize, maxTailBytes)
  const bytes = Buffer.alloc(span)
  await file.read(bytes, 0, span, fileSize - span)
  const end = bytes.lastIndexOf(newline) + 1
  const size = fileSize - span + end
  if (end === 0) {
    if (span === maxTailBytes) throw new Error('The audit log ends in a line longer than any that is written.')
    return { size: 0, seq: 0, hash: '0'.repeat(64), tornBytes: fileSize }
  }
  const start = bytes.lastIndexOf(newline, end - 2) + 1
  const line = checkpointSchema.safeParse(parseOrNull(bytes.toString('utf8', start, end)))
  if (!line.success) throw new Error('The last line of the audit log is not one of ours.')
  return { size, seq: line.data.seq, hash: line.data.hash, tornBytes: fileSize - size }
}

export type AuditTail = {
  readonly size: number
  readonly seq: number
  readonly hash: string
  readonly tornBytes: number
}

/**
 * Which files of an audit log stand in a data directory, and with which numbers it can be verified from: 1, and each
 * whose predecessor has a checkpoint, the number that the file in use will get included.
 */
export async function auditLogFiles(dataDir: string): Promise<AuditLogFiles> {
  const [current, files, checkpoints] = await Promise.all([
    sizeOf(join(dataDir, 'audit.jsonl')),
    rotatedFiles(dataDir),
    readCheckpoints(dataDir),
  ])
  const rotated = files.map(({ index }) => index)
  const next = Math.max(0, ...rotated, ...checkpoints.keys()) + 1
  const begins = current === null ? rotated : [...rotated, next]
  return {
    rotated,
    current: current === null ? null : { number: next, isEmpty: current === 0 },
    verifiableFrom: begins.filter((index) => index === 1 || checkpoints.has(index - 1)),
  }
}

export type AuditLogFiles = {
  /** Numbers of the rotated files, ascending. */
  readonly rotated: readonly number[]
  /** `audit.jsonl`, and the number it will get; `null` where it is missing. */
  readonly current: { readonly number: number; readonly isEmpty: boolean } | null
  readonly verifiableFrom: readonly number[]
}

const checkpointsName = 'audit-checkpoints.json'
const checkpointSchema = z.object({ seq: z.int().min(1), hash: z.string().regex(/^[0-9a-f]{64}$/) })
const checkpointsSchema = z.record(z.string().regex(/^[1-9]\d{0,8}$/), checkpointSchema)

const newline = 0x0a
/** No line is longer: calldata of a transaction is at most 128 KiB, which is twice as much in hex. */
const maxTailBytes = 4 << 20

async function tailOf(path: string): Promise<Checkpoint> {
  const file = await open(path, 'r')
  try {
    const { seq, hash } = await readTail(file)
    return { seq, hash }
  } finally {
    await file.close()
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

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
