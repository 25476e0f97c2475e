import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Journal,
  JournaledOperation,
  JournalEntry,
  JournalFacts,
  JournalState,
  NewJournalEntry,
} from '@svc/wallet/core'
import type { Kysely, Transaction } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { addRevocations, type PendingRevocation } from '../pending-revocations.ts'
import { journalQueries, openStates, type JournalQueries, type Account, type JournalRow } from './journal-queries.ts'
import { requireNoPause } from '../shared-switches.ts'
import { StoreError } from '../store-error.ts'

/** The durable journal. An entry that draws on a reservation is refused unless that reservation is open. */
export function createJournal(engine: Engine, now: () => number): StoreJournal {
  const ask = journalQueries()
  const entries = async (find: (db: Kysely<Schema>) => Promise<readonly JournalRow[]>): Promise<JournalEntry[]> =>
    (await engine.read(find)).map(toEntry)
  return {
    recordSigned: (entry, owed = [], terms = {}) =>
      orFound(engine, ask, entry.hash, () => recordIn(engine, ask, { entry, owed, terms }, now)),
    mark: (hash, state, facts = {}) =>
      engine.write(
        'spend',
        (trx) => markIn(trx, ask, hash, state, facts),
        reportedByChain.has(state) ? 'with-next' : 'at-once',
      ),
    // Never later than the bytes leave.
    publish: (hash) => engine.write('spend', async (trx) => void (await ask.publish(trx, { hash })), 'at-once'),
    async nextNonce(chainId, from) {
      const row = await engine.read((db) => ask.highest(db, accountOf(chainId, from)))
      const highest: unknown = row?.highest
      return typeof highest === 'bigint' ? Number(highest) + 1 : null
    },
    refused: (chainId, from) => entries((db) => ask.refused(db, accountOf(chainId, from))),
    open: (chainId, from) => entries((db) => ask.open(db, accountOf(chainId, from))),
    async byHash(hash) {
      const row = await engine.read((db) => ask.byHash(db, { hash }))
      return row === undefined ? null : toEntry(row)
    },
    byRequest: (requestId) => entries((db) => ask.byRequest(db, { requestId })),
    byNonce: (chainId, from, nonce) =>
      entries((db) => ask.byNonce(db, { ...accountOf(chainId, from), nonce: BigInt(nonce) })),
  }
}

export type StoreJournal = Omit<Journal, 'recordSigned'> & {
  /**
   * As {@link Journal} has it. In the same commit it keeps what will have to be revoked of what is signed: neither is ever there without the
   * other. With `unlessPaused` it throws `STORE_PAUSED` while all servers of the database are paused, and commits nothing.
   */
  recordSigned(entry: NewJournalEntry, owed?: readonly PendingRevocation[], terms?: RecordTerms): Promise<JournalEntry>
}

type RecordTerms = { readonly unlessPaused?: boolean }

async function recordIn(
  engine: Engine,
  ask: JournalQueries,
  { entry, owed, terms }: Recorded,
  now: () => number,
): Promise<JournalEntry> {
  return engine.write('spend', async (trx) => {
    if (terms.unlessPaused === true) await requireNoPause(trx)
    const { hash, requestId, step, chainId, from, nonce, attempt, rawTransaction, reservationId, userOperation } = entry
    const { submission = null } = entry
    if (reservationId !== null) await requireOpenReservation(trx, ask, reservationId)
    const account = accountOf(chainId, from)
    const place = userOperation === undefined ? { nonce, attempt } : await placeOf(trx, ask, account, nonce)
    const slot = {
      ...account,
      hash,
      requestId,
      step: BigInt(step),
      nonce: BigInt(place.nonce),
      attempt: BigInt(place.attempt),
    }
    if ((await ask.taken(trx, slot)) !== undefined) {
      throw new StoreError('JOURNAL_CONFLICT', `Attempt ${attempt} at nonce ${nonce} is taken, or the step is signed.`)
    }
    const signedAt = now()
    const written = { chainId, ...place, step, signedAt, hash, requestId, from, rawTransaction, reservationId }
    const kept = userOperation === undefined ? null : JSON.stringify(userOperation)
    await ask.insert(trx, { ...written, userOperation: kept, submission })
    await addRevocations(trx, owed)
    return { ...entry, attempt: place.attempt, state: 'signed' as const, signedAt }
  })
}

type Recorded = {
  readonly entry: NewJournalEntry
  readonly owed: readonly PendingRevocation[]
  readonly terms: RecordTerms
}

/** Beside the wallet's own nonces, after those of the same nonce at the entry point that had no effect. */
async function placeOf(trx: Transaction<Schema>, ask: JournalQueries, account: Account, nonce: number) {
  const own = -1 - nonce
  const others = await ask.operationsAt(trx, { ...account, nonce: BigInt(own) })
  return { nonce: own, attempt: others.length }
}

/**
 * What is signed into the journal is sent sooner or later, so whether it was must not stay open: after a commit that was
 * cut off the journal is read for a while, under the lock, which is given when that commit has ended either way.
 */
async function orFound(
  engine: Engine,
  ask: JournalQueries,
  hash: string,
  record: () => Promise<JournalEntry>,
): Promise<JournalEntry> {
  try {
    return await record()
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'STORE_IN_DOUBT')) throw error
    for (let tries = 0; tries < mostLooks; tries += 1) {
      await sleep(betweenLooksMs)
      const row = await engine.write('spend', (trx) => ask.byHash(trx, { hash })).catch(() => null)
      if (row === undefined) throw new StoreError('STORE_UNAVAILABLE', 'Nothing was recorded.', { cause: error })
      if (row !== null) return toEntry(row)
    }
    throw error
  }
}

const mostLooks = 20
const betweenLooksMs = 250

/**
 * What the chain tells again whoever asks: an entry that lost such a mark with the machine's power stands as after a crash
 * just before it, and is sent or looked up again. The bytes themselves are on disk before any of them leaves.
 */
const reportedByChain: ReadonlySet<JournalState> = new Set<JournalState>(['broadcast', 'mined', 'final'])

/** Closed states that say what an endpoint did or a block held, and what such a transaction may turn out to be. */
const mayEndOtherwise: readonly string[] = ['refused', 'superseded'] satisfies JournalState[]
const otherEnds: readonly string[] = ['mined', 'final', 'reverted', 'replaced', 'superseded'] satisfies JournalState[]
/** Closed states whose block may be undone, and which nobody then wants to be mined. */
const undone: readonly string[] = ['reverted', 'replaced'] satisfies JournalState[]

async function markIn(
  trx: Transaction<Schema>,
  ask: JournalQueries,
  hash: string,
  state: JournalState,
  facts: JournalFacts,
): Promise<void> {
  const { blockNumber = null, blockHash = null, gasUsed = null } = facts
  const mark = { hash, state, blockNumber, blockHash, gasUsed }
  if (state !== 'refused' && (await ask.markOpen(trx, mark)) !== undefined) return
  const row = await ask.stateOf(trx, { hash })
  if (row === undefined) {
    throw new StoreError('JOURNAL_ENTRY_UNKNOWN', `The journal holds no transaction ${hash}.`)
  }
  if (!openStates.includes(row.state) && row.state === state) return
  if (!mayBecome(row.state, state)) {
    throw new StoreError('JOURNAL_ENTRY_CLOSED', `Transaction ${hash} is ${row.state} and cannot be ${state}.`)
  }
  await ask.mark(trx, mark)
}

function mayBecome(from: string, to: JournalState): boolean {
  if (openStates.includes(from)) return to !== 'refused' || from === 'signed'
  return mayEndOtherwise.includes(from) ? otherEnds.includes(to) : undone.includes(from) && to === 'refused'
}

async function requireOpenReservation(trx: Transaction<Schema>, ask: JournalQueries, id: string): Promise<void> {
  const row = await ask.reservation(trx, { id })
  if (row?.state === 'reserved') return
  throw new StoreError('RESERVATION_NOT_OPEN', `Reservation ${id} is ${row?.state ?? 'unknown'}; nothing was signed.`)
}

function accountOf(chainId: number, from: string): Account {
  return { chainId: BigInt(chainId), from: from.toLowerCase() }
}

/** An entry as its row has it. */
export function toEntry(row: JournalRow): JournalEntry {
  return {
    requestId: row.request_id,
    step: Number(row.step),
    chainId: Number(row.chain_id),
    from: toHex(row.from_address),
    nonce: row.user_operation === null ? Number(row.nonce) : -1 - Number(row.nonce),
    attempt: Number(row.attempt),
    rawTransaction: toHex(row.raw_transaction),
    hash: toHex(row.hash),
    reservationId: row.reservation_id,
    state: row.state as JournalState,
    signedAt: Number(row.signed_at),
    ...(row.block_number === null ? {} : { blockNumber: row.block_number }),
    ...(row.block_hash === null ? {} : { blockHash: toHex(row.block_hash) }),
    ...(row.gas_used === null ? {} : { gasUsed: row.gas_used }),
    ...(row.submission === null ? {} : { submission: row.submission === 'public' ? 'public' : 'private' }),
    ...(row.user_operation === null ? {} : { userOperation: readOperation(row.user_operation) }),
  }
}

/** As it was kept: nobody else writes here. */
function readOperation(text: string): JournaledOperation {
  return JSON.parse(text) as JournaledOperation
}

function toHex(text: string): `0x${string}` {
  if (!text.startsWith('0x')) throw new TypeError('The journal holds something that is not hexadecimal.')
  return text as `0x${string}`
}
