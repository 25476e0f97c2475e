import { hash as digest } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '@svc/runtime'
import type { AuditHead } from '@svc/store'
import { newestTail, nextRotatedName, readTail, writeCheckpoints } from './audit-files.ts'

/**
 * Opens the audit log: one JSON object a line, each carrying the hash of the line before it, so that a line taken out or
 * changed shows. `append` resolves when the line is on disk, and rejects when it is not, or when the file was deleted or
 * replaced; then nothing may be signed. What a failed write left is cut off before the next one, and so is a last line torn
 * by a crash, of which a line says so. A file that has grown to `maxBytes` is renamed `audit-<n>.jsonl`, the chain goes on
 * in a new one, and nothing is ever removed. All files have mode 0600. There is one writer: whoever holds the server's lock. Where servers
 * of one database take turns, each goes on in a file of its own from the line at which the one before stopped (`audit.continued`).
 */
export async function openAuditLog(options: AuditLogOptions): Promise<OpenedAuditLog> {
  const folder = dirname(options.path)
  const opened = await openFile(options.path)
  const tail = await readTail(opened.file)
  const own = tail.size === 0 ? await newestTail(folder) : tail
  await writeCheckpoints(folder)
  const state: State = { ...opened, size: tail.size, seq: own.seq, hash: own.hash, isDirty: tail.tornBytes > 0 }
  const log = createQueue((events) => writeBatch(state, events, options))
  if (tail.tornBytes > 0) await log.append({ event: 'audit.recovered', tornBytes: tail.tornBytes })
  await continueElsewhere(state, options, log)
  return Object.freeze({
    ...log,
    head: () => (state.seq === 0 ? null : { seq: state.seq, hash: state.hash }),
    close: async () => {
      await log.close()
      await state.file?.close()
    },
  })
}

export type AuditLog = {
  append(event: AuditEvent): Promise<void>
  /** Puts a line in the queue: it is on disk before any that is appended later, at the latest after a moment. */
  note(event: AuditEvent): void
  close(): Promise<void>
}

export type OpenedAuditLog = AuditLog & {
  /** The last line that is on disk; `null` before the first. */
  head(): AuditHead | null
}

/** What happened, with whatever facts belong to it. Never holds a secret: it is our own record, not a caller's text. */
export type AuditEvent = {
  readonly event: AuditEventName
  /** Members of every line, which no fact may take the place of. */
  readonly v?: never
  readonly seq?: never
  readonly ts?: never
  readonly prevHash?: never
  readonly hash?: never
  readonly [fact: string]: unknown
}

export type AuditLogOptions = {
  readonly path: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** Takes secrets out of what is written; as it is without. */
  readonly scrub?: (value: unknown) => unknown
  /** 64 MiB unless given. */
  readonly maxBytes?: number
  /**
   * Where the chain stands that other servers wrote on; absent for one server. `isOwn` where that was kept from this very directory: then
   * lines behind it here are the chain's as well.
   */
  readonly continues?: AuditHead & { readonly isOwn: boolean }
}

/** `prevHash` of the first line. */
export const auditGenesis = '0'.repeat(64)

/** The hash a line must carry: SHA-256 of its text without the member `hash`, which is always the last. */
export function auditHash(body: string): string {
  return digest('sha256', body)
}

/** Begins a new file where the chain stands elsewhere, with a line that says so. */
async function continueElsewhere(state: State, { path, continues }: AuditLogOptions, log: AuditLog): Promise<void> {
  if (continues === undefined || continues.hash === state.hash) return
  const { seq, hash, isOwn } = continues
  if (isOwn && state.seq >= seq) return
  const here = { seq: state.seq, hash: state.hash }
  if (state.size > 0) {
    await rotate(state, path)
    await ready(state, path)
  }
  Object.assign(state, { seq, hash })
  await log.append({ event: 'audit.continued', here })
}

type State = {
  /** `null` between two files. */
  file: FileHandle | null
  inode: number
  size: number
  seq: number
  hash: string
  /** Whether more than `size` bytes may stand in the file. */
  isDirty: boolean
}

const defaultMaxBytes = 64 * 1024 * 1024

/** Writes lines and waits for the disk once for all of them; gives back what cannot be written as JSON. */
async function writeBatch(state: State, events: readonly AuditEvent[], options: AuditLogOptions): Promise<Unwritable> {
  const { path, maxBytes = defaultMaxBytes } = options
  let file = await ready(state, path)
  const isFull = state.size >= maxBytes
  if (isFull) {
    await rotate(state, path)
    file = await ready(state, path)
  }
  const { text, next, unwritable } = chained(state, isFull ? [{ event: 'audit.rotated' }, ...events] : events, options)
  const bytes = Buffer.from(text)
  state.isDirty = true
  try {
    // To the system, which takes microseconds; a turn of the pool for it takes longer. The disk is waited for.
    writeFileSync(file.fd, bytes)
    await file.datasync()
  } catch (error) {
    // What a full disk took of the lines is cut off at once, so that nobody reads half a line; else the next one does it.
    await ready(state, path).catch(() => undefined)
    throw error
  }
  Object.assign(state, next, { size: state.size + bytes.length, isDirty: false })
  return unwritable
}

type Unwritable = ReadonlyMap<AuditEvent, unknown>

/** Events as lines, each with the hash of the one before it. */
function chained({ seq, hash }: State, events: readonly AuditEvent[], { now, scrub }: AuditLogOptions) {
  const unwritable = new Map<AuditEvent, unknown>()
  const next = { seq, hash }
  let text = ''
  for (const event of events) {
    try {
      const facts = (scrub === undefined ? event : scrub(event)) as AuditEvent
      const members = { v: 1, seq: next.seq + 1, ts: new Date(now()).toISOString(), prevHash: next.hash, ...facts }
      const body = JSON.stringify(members, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
      next.seq += 1
      next.hash = auditHash(body)
      text += `${body.slice(0, -1)},"hash":"${next.hash}"}\n`
    } catch (error) {
      unwritable.set(event, error)
    }
  }
  return { text, next, unwritable }
}

/** The open file, whole: it is still the one at its path, and what a failed write left is cut off. */
async function ready(state: State, path: string): Promise<FileHandle> {
  if (state.file === null) {
    await writeCheckpoints(dirname(path))
    Object.assign(state, await openFile(path), { size: 0, isDirty: true })
  }
  const { file } = state
  if (file === null) throw new TypeError('The audit log is not open')
  if (inodeAt(path) !== state.inode) throw new Error('The audit log was deleted or replaced while it was open.')
  if (state.isDirty) await file.truncate(state.size)
  state.isDirty = false
  return file
}

/** `null` where there is no such file, or none that can be looked at. */
function inodeAt(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino ?? null
  } catch {
    return null
  }
}

async function rotate(state: State, path: string): Promise<void> {
  const folder = dirname(path)
  await rename(path, join(folder, await nextRotatedName(folder)))
  const { file } = state
  state.file = null
  await syncFolder(folder)
  await file?.close()
}

async function openFile(path: string): Promise<{ readonly file: FileHandle; readonly inode: number }> {
  const file = await open(path, 'a+', 0o600)
  await file.chmod(0o600)
  return { file, inode: (await file.stat()).ino }
}

/** Hands events on in their order, as many at once as have come meanwhile. */
function createQueue(write: (events: readonly AuditEvent[]) => Promise<Unwritable>): AuditLog {
  let queue: Queued[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isClosed = false

  const flush = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const batch = queue
    if (batch.length === 0) return
    queue = []
    const gap: readonly Queued[] = dropped > 0 ? [{ event: { event: 'audit.gap', dropped } }] : []
    try {
      const unwritable = await write([...gap, ...batch].map(({ event }) => event))
      if (gap.length > 0) dropped = 0
      for (const { event, done, failed } of batch) {
        if (unwritable.has(event)) failed?.(unwritable.get(event))
        else done?.()
      }
    } catch (error) {
      const noted = batch.filter(({ done }) => done === undefined)
      dropped += Math.max(0, noted.length - mostNoted)
      queue = [...noted.slice(-mostNoted), ...queue]
      for (const { failed } of batch) failed?.(error)
    }
  }
  const flushSoon = (): Promise<void> => (running = running.then(flush))

  return {
    append: (event) =>
      new Promise((done, failed) => {
        if (isClosed) return failed(new Error('The audit log is closed.'))
        queue.push({ event, done, failed })
        void flushSoon()
      }),
    note: (event) => {
      if (isClosed) return
      queue.push({ event })
      timer ??= setTimeout(() => void flushSoon(), notedWaitMs).unref()
    },
    close: async () => {
      isClosed = true
      await flushSoon()
    },
  }
}

type Queued = { readonly event: AuditEvent; readonly done?: () => void; readonly failed?: (error: unknown) => void }

/** How long a noted line waits for one that is appended. */
const notedWaitMs = 200

/** As many noted lines are kept while the disk takes none; of the others a line will tell the number. */
const mostNoted = 1_000

/** Every event that a line of the audit log may be of. */
export const auditEventNames = [
  'audit.continued',
  'audit.gap',
  'audit.recovered',
  'audit.rotated',
  'auth.failed',
  'auth.keys-rotated',
  'auth.restored',
  'auth.revoked',
  'auth.signed-in',
  'breaker.open',
  'breaker.rearmed',
  'operation.cancelled',
  'operator.confirmed',
  'operator.signed-in',
  'order.ended',
  'order.intent',
  'order.submitted',
  'pause.off',
  'pause.on',
  'policy.changed',
  'policy.invalid',
  'policy.mended',
  'spend.alert',
  'tool.answered',
  'tool.called',
  'tx.approval.decided',
  'tx.approval.requested',
  'tx.cancelled',
  'tx.confirmed',
  'tx.declined',
  'tx.failed',
  'tx.intent',
  'tx.not-cancelled',
  'tx.not-resolved',
  'tx.not-taken-back',
  'tx.pending',
  'tx.permit',
  'tx.reconciled',
  'tx.resolved',
  'tx.refused',
  'tx.replaced',
  'tx.reverted',
  'tx.scheduled',
  'tx.settled',
  'tx.simulated',
  'tx.submitted',
  'tx.superseded',
  'wallet.provisioned',
  'wallet.refused',
  'wallet.requested',
] as const

export type AuditEventName = (typeof auditEventNames)[number]
