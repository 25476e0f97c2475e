import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { replaceFileDurably } from '@svc/runtime'

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

export type RotatedFile = { readonly name: string; readonly index: number }

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

export const checkpointsName = 'audit-checkpoints.json'
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
