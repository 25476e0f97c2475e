import type { Hash } from 'viem'
import type { Journal, JournalEntry, JournalFacts, JournalState } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { createMutex } from './sender/mutex.ts'
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { WalletError } from './wallet-error.ts'
import { makeFolder, syncFolderOf } from './write-whole.ts'
import { lockFile } from './file-journal/lock-file.ts'

/**
 * A journal in one file that only ever grows, a line of JSON for each thing that happened, durable before the call that
 * made it resolves; readable by its owner only. The file is opened by the first call and belongs to this process until
 * `close`, or until the process ends however it does. A last line that a crash tore is dropped, for nobody was notified of it.
 * `now` gives Unix milliseconds.
 *
 * Calls reject with `WalletError` `JOURNAL_LOCKED` while another process has the file, and `JOURNAL_UNREADABLE` when a line
 * is damaged (`details.line` says which) or a write failed; after a write that failed every call does, until `close`.
 */
export function createFileJournal(path: string, { now = Date.now }: FileJournalOptions = {}): FileJournal {
  const inTurn = createMutex()
  let opening: Promise<OpenJournal> | null = null
  const withFile = <Result>(work: (journal: OpenJournal) => Promise<Result>): Promise<Result> =>
    inTurn(async () => {
      opening ??= openJournal(path, now)
      const journal = await opening.catch((error: unknown) => {
        opening = null
        throw error
      })
      journal.file.requireIntact()
      return await work(journal)
    })
  return {
    recordSigned: (entry) =>
      withFile(async ({ memory, file }) => {
        const recorded = await memory.recordSigned(entry)
        await file.append({ event: 'signed', entry: recorded })
        return recorded
      }),
    mark: (hash, state, facts = {}) =>
      withFile(async ({ memory, file }) => {
        const before = await memory.byHash(hash)
        await memory.mark(hash, state, facts)
        if (isSame(before, await memory.byHash(hash))) return
        await file.append({ event: 'marked', hash, state, facts })
      }),
    publish: (hash) =>
      withFile(async ({ memory, file }) => {
        if ((await memory.byHash(hash))?.submission !== 'private') return
        await memory.publish?.(hash)
        await file.append({ event: 'published', hash })
      }),
    nextNonce: (chainId, from) => withFile(({ memory }) => memory.nextNonce(chainId, from)),
    open: (chainId, from) => withFile(({ memory }) => memory.open(chainId, from)),
    refused: (chainId, from) => withFile(({ memory }) => memory.refused(chainId, from)),
    byHash: (hash: Hash) => withFile(({ memory }) => memory.byHash(hash)),
    byRequest: (requestId) => withFile(({ memory }) => memory.byRequest(requestId)),
    byNonce: (chainId, from, nonce) => withFile(({ memory }) => memory.byNonce(chainId, from, nonce)),
    close: () =>
      inTurn(async () => {
        const closing = opening
        opening = null
        await (await closing?.catch(() => null))?.file.close()
      }),
  }
}

/** A journal that has a file open. */
export type FileJournal = Journal & {
  /** Gives the file back. The next call opens it again. */
  close(): Promise<void>
}

/** `now` gives Unix milliseconds; the clock of the process where it is missing. */
export type FileJournalOptions = { readonly now?: () => number }

/** What the lines of the file add up to, and the file. Only what is durable is ever seen: each call waits for its turn. */
type OpenJournal = { readonly memory: Journal; readonly file: JournalFile }

async function openJournal(path: string, now: () => number): Promise<OpenJournal> {
  const clock: { replayed: number | null } = { replayed: null }
  const memory = createMemoryJournal({ now: () => clock.replayed ?? now() })
  const file = await createJournalFile(path, async (line) => {
    clock.replayed = line.event === 'signed' ? line.entry.signedAt : null
    await replay(memory, line)
  })
  clock.replayed = null
  return { memory, file }
}

async function replay(memory: Journal, line: JournalLine): Promise<void> {
  if (line.event === 'marked') return memory.mark(line.hash, line.state, line.facts)
  if (line.event === 'published') return memory.publish?.(line.hash)
  const { signedAt: _at, state: _state, ...entry } = line.entry
  await memory.recordSigned(entry)
}

function isSame(before: JournalEntry | null, after: JournalEntry | null): boolean {
  return (
    before !== null &&
    before.state === after?.state &&
    before.blockNumber === after.blockNumber &&
    before.blockHash === after.blockHash &&
    before.gasUsed === after.gasUsed
  )
}

/**
 * Takes the file for this process and reads it, line by line in order. Throws `JOURNAL_LOCKED` and `JOURNAL_UNREADABLE`.
 */
async function createJournalFile(path: string, onLine: (line: JournalLine) => Promise<void>): Promise<JournalFile> {
  const unlock = await writing(path, async () => {
    await makeFolder(dirname(path))
    return await lockFile(path)
  })
  try {
    const file = await writing(path, () => openOwn(path))
    try {
      await readAll(path, file, onLine)
    } catch (error) {
      await file.close()
      throw error
    }
    return journalFile(path, file, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

type JournalFile = {
  /** Durable when it resolves. When it fails once, it fails for good: what the file holds is not known any more. */
  append(line: JournalLine): Promise<void>
  /** Throws `JOURNAL_UNREADABLE` after a write that failed. */
  requireIntact(): void
  close(): Promise<void>
}

function journalFile(path: string, file: FileHandle, unlock: () => Promise<void>): JournalFile {
  let failure: unknown = null
  return {
    async append(line) {
      try {
        await file.appendFile(writeLine(line))
        await file.sync()
      } catch (cause) {
        failure = cause
        throw unreadable(path, 'cannot be written', cause)
      }
    },
    requireIntact() {
      if (failure !== null) throw unreadable(path, 'could not be written; close the journal and open it again', failure)
    },
    async close() {
      await file.close()
      await unlock()
    },
  }
}

async function openOwn(path: string): Promise<FileHandle> {
  const file = await open(path, 'a+', 0o600)
  try {
    await file.chmod(0o600)
    await syncFolderOf(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readAll(path: string, file: FileHandle, onLine: (line: JournalLine) => Promise<void>): Promise<void> {
  const bytes = await writing(path, () => file.readFile())
  const end = bytes.lastIndexOf('\n') + 1
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1)
  let kept = end
  for (const [index, text] of lines.entries()) {
    const line = readLine(text)
    if (line === null) {
      // Pages of a write that a power failure cut may be missing in its midst: they read as zeros.
      if (index < lines.length - 1 || !text.includes('\0')) throw damaged(path, index + 1)
      kept = bytes.lastIndexOf('\n', end - 2) + 1
    } else {
      await onLine(line).catch((cause: unknown) => {
        throw damaged(path, index + 1, cause)
      })
    }
  }
  if (kept === bytes.length) return
  await writing(path, async () => {
    await file.truncate(kept)
    await file.sync()
  })
}

async function writing<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof WalletError) throw cause
    throw unreadable(path, 'cannot be opened', cause)
  }
}

function damaged(path: string, line: number, cause?: unknown): WalletError {
  return new WalletError('JOURNAL_UNREADABLE', `Line ${line} of ${path} is damaged.`, {
    details: { path, line },
    ...(cause === undefined ? {} : { cause }),
  })
}

function unreadable(path: string, how: string, cause: unknown): WalletError {
  return new WalletError('JOURNAL_UNREADABLE', `The file ${path} ${how}.`, { cause, details: { path } })
}

/** One thing that happened. */
type JournalLine =
  | { readonly event: 'signed'; readonly entry: JournalEntry }
  | { readonly event: 'marked'; readonly hash: Hash; readonly state: JournalState; readonly facts: JournalFacts }
  | { readonly event: 'published'; readonly hash: Hash }

/** Writes a line as JSON, with a check sum over what it holds and a line feed. */
function writeLine(line: JournalLine): string {
  const body = JSON.stringify(line, (_key, value: unknown) => (typeof value === 'bigint' ? { int: `${value}` } : value))
  return `{"check":"${checkOf(body)}","line":${body}}\n`
}

/** Reads what {@link writeLine} wrote, without the line feed; `null` for anything else. */
function readLine(text: string): JournalLine | null {
  const [, check, body] = /^\{"check":"([0-9a-f]{16})","line":(\{.*\})\}$/s.exec(text) ?? []
  if (check === undefined || body === undefined || check !== checkOf(body)) return null
  // The check sum says that this package wrote the line, so its shape is known.
  return JSON.parse(body, revive) as JournalLine
}

function revive(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('int' in value)) return value
  return typeof value.int === 'string' ? BigInt(value.int) : value
}

function checkOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16)
}
