import * as z from 'zod'
import { auditGenesis, auditHash } from './audit.ts'
import { readCheckpoints } from './audit-files.ts'
import { type AuditText, readAuditLog } from './read-audit-log.ts'

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
