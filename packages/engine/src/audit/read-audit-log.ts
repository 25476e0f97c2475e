import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { rotatedFiles, readCheckpoints } from './audit-files.ts'
import * as z from 'zod'
import { auditGenesis, auditHash } from './audit.ts'

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
type AuditText = {
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

/**
 * The newest lines of the audit log in a data directory, newest first, out of its last half mebibyte: of one principal the lines that name it
 * and those of the same requests, of everybody where it is `null`. It may run beside the server. What is no line of ours is left out.
 */
export async function readLatestAudit(dataDir: string, principalId: string | null): Promise<LatestAudit> {
  const current = await tailOf(join(dataDir, 'audit.jsonl'), windowBytes)
  const rotated = current.isCut ? [] : await rotatedFiles(dataDir)
  const newest = rotated.at(-1)
  const before = newest === undefined ? nothing : await tailOf(join(dataDir, newest.name), windowBytes - current.bytes)
  const lines = [...before.texts, ...current.texts].flatMap(lineOf)
  const isCut = current.isCut || before.isCut || rotated.length > 1
  return { lines: ownLines(lines, principalId).toReversed(), isCut }
}

export type LatestAudit = {
  readonly lines: readonly AuditLine[]
  /** Whether there are older lines that were not looked at. */
  readonly isCut: boolean
}

/** What every line has, and whatever facts belong to its event. */
export type AuditLine = z.output<typeof auditLine>

const auditLine = z.looseObject({
  seq: z.int(),
  ts: z.string(),
  event: z.string(),
  requestId: z.string().optional(),
  actor: z.looseObject({ principal: z.string() }).optional(),
})

const windowBytes = 512 * 1024

function ownLines(lines: readonly AuditLine[], principalId: string | null): readonly AuditLine[] {
  if (principalId === null) return lines
  const isNamed = ({ actor }: AuditLine) => actor?.principal === principalId
  const requests = new Set(lines.filter(isNamed).map(({ requestId }) => requestId))
  requests.delete(undefined)
  return lines.filter((line) => isNamed(line) || (line.actor === undefined && requests.has(line.requestId)))
}

function lineOf(text: string): readonly AuditLine[] {
  try {
    const line = auditLine.safeParse(JSON.parse(text))
    return line.success ? [line.data] : []
  } catch {
    return []
  }
}

type Tail = { readonly texts: readonly string[]; readonly bytes: number; readonly isCut: boolean }

const nothing: Tail = { texts: [], bytes: 0, isCut: false }

/** The whole lines among the last bytes of a file; nothing where there is none. */
async function tailOf(path: string, mostBytes: number): Promise<Tail> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return nothing
  try {
    const { size } = await file.stat()
    const isCut = size > mostBytes
    const bytes = Buffer.alloc(Math.min(size, mostBytes))
    await file.read(bytes, 0, bytes.length, size - bytes.length)
    const start = isCut ? bytes.indexOf(newline) + 1 : 0
    return { texts: bytes.toString('utf8', start).split('\n'), bytes: bytes.length, isCut }
  } finally {
    await file.close()
  }
}

/**
 * Walks the audit log of a data directory and checks that every line carries its own hash, the hash of the line before it
 * and the next number, across rotated files, and that each of those ends where its checkpoint says. With `from`, it starts
 * at `audit-<from>.jsonl` on the word of the checkpoint before. Stops at the first line that does not fit. A last line
 * that is not whole yet counts as not written. A file may begin where another server of the database had stopped, and says so. Lines cut off at the end leave no trace in the log itself: compare the last
 * number and hash with those of an earlier time.
 */
export async function verifyAuditLog(dataDir: string, options: { readonly from?: number } = {}): Promise<AuditVerdict> {
  const checkpoints = await readCheckpoints(dataDir)
  const first = options.from === undefined || options.from <= 1 ? null : (checkpoints.get(options.from - 1) ?? null)
  if (options.from !== undefined && options.from > 1 && first === null) {
    return { lines: 0, continued: 0, last: null, isUnfinished: false, broken: noCheckpoint(options.from) }
  }
  let last = first ?? { seq: 0, hash: auditGenesis }
  let lines = 0
  let continued = 0
  let file: Pick<AuditText, 'file' | 'index' | 'line'> | null = null
  const verdict = (broken: AuditBreak | null, isUnfinished = false): AuditVerdict => ({
    lines,
    continued,
    last: lines === 0 ? null : last,
    isUnfinished,
    broken,
  })
  for await (const text of readAuditLog(dataDir, options)) {
    const { file: name, line, isWhole } = text
    const ended = file !== null && file.file !== name ? endOf(file, last, checkpoints) : null
    if (ended !== null) return verdict(ended)
    file = text
    if (!isWhole && text.index === null) return verdict(null, true)
    const where = { isFirst: lines === 0 && options.from === undefined, isFileStart: line === 1 }
    const checked = check(text.text, last, where)
    if (typeof checked === 'string') return verdict({ file: name, line, how: checked })
    const { isContinued = false, ...next } = checked
    if (isContinued) continued += 1
    last = next
    lines += 1
  }
  return verdict(null)
}

export type AuditVerdict = {
  /** How many sound lines were walked, up to the first that is not. */
  readonly lines: number
  /** How often it goes on, at the begin of a file, from where another server of the same database had stopped: those lines stand in its directory. */
  readonly continued: number
  /** Number and hash of the last sound line. */
  readonly last: { readonly seq: number; readonly hash: string } | null
  /** Whether a last line is just being written, or was torn by a crash. */
  readonly isUnfinished: boolean
  readonly broken: AuditBreak | null
}

export type AuditBreak = { readonly file: string; /** From 1. */ readonly line: number; readonly how: string }

type Place = { readonly seq: number; readonly hash: string }

type Checked = Place & { readonly isContinued?: boolean }

type Where = { readonly isFirst: boolean; readonly isFileStart: boolean }

const bodySchema = z.object({ seq: z.int(), prevHash: z.string(), event: z.string().optional() })

/** The place of a sound line, or what is wrong with it. */
function check(text: string, last: Place, { isFirst, isFileStart }: Where): Checked | string {
  const match = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/.exec(text)
  const [, opening, hash] = match ?? []
  if (opening === undefined || hash === undefined) return 'is not a line of this log'
  const body = `${opening}}`
  if (auditHash(body) !== hash) return 'was changed: its hash does not fit its text'
  const members = bodySchema.safeParse(parseOrNull(body))
  if (!members.success) return 'is not a line of this log'
  const { seq, prevHash, event } = members.data
  if (event === 'audit.continued' && isFileStart) return { seq, hash, isContinued: true }
  if (isFirst && seq > 1) return `is number ${seq}: older files are missing; verify the rest with --from`
  if (seq !== last.seq + 1) return `is number ${seq} where ${last.seq + 1} was due: lines were taken out or put in`
  if (prevHash !== last.hash) return 'does not follow the line before it: that one was replaced'
  return { seq, hash }
}

function endOf(
  { file, index, line }: Pick<AuditText, 'file' | 'index' | 'line'>,
  last: Place,
  checkpoints: ReadonlyMap<number, Place>,
): AuditBreak | null {
  const checkpoint = index === null ? undefined : checkpoints.get(index)
  if (checkpoint === undefined || (checkpoint.seq === last.seq && checkpoint.hash === last.hash)) return null
  return { file, line, how: `does not end as its checkpoint says, with number ${checkpoint.seq}` }
}

function noCheckpoint(from: number): AuditBreak {
  return { file: 'audit-checkpoints.json', line: 1, how: `holds no checkpoint of audit-${from - 1}.jsonl` }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
