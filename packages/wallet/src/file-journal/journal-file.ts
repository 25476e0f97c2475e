import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Hash } from 'viem'
import type { JournalEntry, JournalFacts, JournalState } from '../journal.ts'
import { WalletError } from '../wallet-error.ts'
import { makeFolder, syncFolderOf } from '../write-whole.ts'
import { lockFile } from './lock-file.ts'

/**
 * Takes the file for this process and reads it, line by line in order. Throws `JOURNAL_LOCKED` and `JOURNAL_UNREADABLE`.
 */
export async function createJournalFile(
  path: string,
  onLine: (line: JournalLine) => Promise<void>,
): Promise<JournalFile> {
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

export type JournalFile = {
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
export type JournalLine =
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
