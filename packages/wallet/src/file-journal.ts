import type { Hash } from 'viem'
import { createJournalFile, type JournalFile, type JournalLine } from './file-journal/journal-file.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { createMutex } from './sender/mutex.ts'

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
