import { setTimeout as sleep } from 'node:timers/promises'
import type { Journal, JournalEntry, JournalFacts, JournalState, NewJournalEntry } from '@svc/wallet'
import { sql } from 'kysely'
import type { Selectable, SelectQueryBuilder, Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/** The durable journal. An entry that draws on a reservation is refused unless that reservation is open. */
export function createJournal(engine: Engine, now: () => number): Journal {
  return {
    recordSigned: (entry) => orFound(engine, entry.hash, () => recordIn(engine, entry, now)),
    mark: (hash, state, facts = {}) =>
      engine.write('spend', (trx) => markIn(trx, hash, state, facts), toldByChain.has(state) ? 'with-next' : 'at-once'),
    async nextNonce(chainId, from) {
      const row = await engine.read((db) =>
        db
          .selectFrom('journal')
          .select((select) => select.fn.max('nonce').as('highest'))
          .where('chain_id', '=', BigInt(chainId))
          .where(of(from))
          .where('state', '<>', 'refused')
          .executeTakeFirst(),
      )
      const highest: unknown = row?.highest
      return typeof highest === 'bigint' ? Number(highest) + 1 : null
    },
    refused: (chainId, from) =>
      entries(engine, (rows) =>
        rows
          .where('chain_id', '=', BigInt(chainId))
          .where(of(from))
          .where('state', '=', 'refused')
          .orderBy('nonce')
          .orderBy('attempt'),
      ),
    open: (chainId, from) =>
      entries(engine, (rows) =>
        rows
          .where('chain_id', '=', BigInt(chainId))
          .where(of(from))
          .where('state', 'in', openStates)
          .orderBy('nonce')
          .orderBy('attempt'),
      ),
    async byHash(hash) {
      const [entry] = await entries(engine, (rows) => rows.where('hash', '=', hash))
      return entry ?? null
    },
    byRequest: (requestId) => entries(engine, (rows) => rows.where('request_id', '=', requestId).orderBy('sequence')),
    byNonce: (chainId, from, nonce) =>
      entries(engine, (rows) =>
        rows
          .where('chain_id', '=', BigInt(chainId))
          .where(of(from))
          .where('nonce', '=', BigInt(nonce))
          .orderBy('attempt'),
      ),
  }
}

async function recordIn(engine: Engine, entry: NewJournalEntry, now: () => number): Promise<JournalEntry> {
  return engine.write('spend', async (trx) => {
    if (entry.reservationId !== null) await requireOpenReservation(trx, entry.reservationId)
    const taken = await trx
      .selectFrom('journal')
      .select('hash')
      .where((where) =>
        where.or([
          where('hash', '=', entry.hash),
          where.and([
            where('chain_id', '=', BigInt(entry.chainId)),
            of(entry.from),
            where('nonce', '=', BigInt(entry.nonce)),
            where('attempt', '=', BigInt(entry.attempt)),
          ]),
        ]),
      )
      .execute()
    if (taken.length > 0) {
      throw new StoreError('JOURNAL_CONFLICT', `Attempt ${entry.attempt} at nonce ${entry.nonce} is taken.`)
    }
    const signedAt = now()
    await trx
      .insertInto('journal')
      .values({
        hash: entry.hash,
        request_id: entry.requestId,
        step: entry.step,
        chain_id: entry.chainId,
        from_address: entry.from,
        nonce: entry.nonce,
        attempt: entry.attempt,
        raw_transaction: entry.rawTransaction,
        reservation_id: entry.reservationId,
        state: 'signed',
        signed_at: signedAt,
      })
      .execute()
    return { ...entry, state: 'signed' as const, signedAt }
  })
}

/**
 * What is signed into the journal is sent sooner or later, so whether it was must not stay open: after a commit that was
 * cut off the journal is read for a while, under the lock, which is given when that commit has ended either way.
 */
async function orFound(engine: Engine, hash: string, record: () => Promise<JournalEntry>): Promise<JournalEntry> {
  try {
    return await record()
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'STORE_IN_DOUBT')) throw error
    for (let tries = 0; tries < mostLooks; tries += 1) {
      await sleep(betweenLooksMs)
      const find = (trx: Transaction<Schema>) =>
        trx.selectFrom('journal').selectAll().where('hash', '=', hash).executeTakeFirst()
      const looked = await engine.write('spend', async (trx) => ({ row: await find(trx) })).catch(() => null)
      if (looked?.row !== undefined) return toEntry(looked.row)
      if (looked !== null) throw new StoreError('STORE_UNAVAILABLE', 'Nothing was recorded.', { cause: error })
    }
    throw error
  }
}

const mostLooks = 20
const betweenLooksMs = 250

const openStates: readonly string[] = ['signed', 'broadcast', 'mined'] satisfies JournalState[]

/**
 * What the chain tells again whoever asks: an entry that lost such a mark with the machine's power stands as after a crash
 * just before it, and is sent or looked up again. The bytes themselves are on disk before any of them leaves.
 */
const toldByChain: ReadonlySet<JournalState> = new Set<JournalState>(['broadcast', 'mined', 'final'])

/** Closed states that say what an endpoint did or a block held, and what such a transaction may turn out to be. */
const mayEndOtherwise: readonly string[] = ['refused', 'superseded'] satisfies JournalState[]
const otherEnds: readonly string[] = ['mined', 'final', 'reverted', 'replaced', 'superseded'] satisfies JournalState[]

async function markIn(trx: Transaction<Schema>, hash: string, state: JournalState, facts: JournalFacts): Promise<void> {
  const row = await trx.selectFrom('journal').select('state').where('hash', '=', hash).executeTakeFirst()
  if (row === undefined) {
    throw new StoreError('JOURNAL_ENTRY_UNKNOWN', `The journal holds no transaction ${hash}.`)
  }
  if (!openStates.includes(row.state) && row.state === state) return
  const mayLeave = openStates.includes(row.state) || (mayEndOtherwise.includes(row.state) && otherEnds.includes(state))
  if (!mayLeave || (state === 'refused' && row.state !== 'signed')) {
    throw new StoreError('JOURNAL_ENTRY_CLOSED', `Transaction ${hash} is ${row.state} and cannot be ${state}.`)
  }
  await trx
    .updateTable('journal')
    .set({
      state,
      block_number: facts.blockNumber ?? null,
      block_hash: facts.blockHash ?? null,
      gas_used: facts.gasUsed ?? null,
    })
    .where('hash', '=', hash)
    .execute()
}

async function requireOpenReservation(trx: Transaction<Schema>, id: string): Promise<void> {
  const row = await trx.selectFrom('reservation').select('state').where('id', '=', id).executeTakeFirst()
  if (row?.state === 'reserved') return
  throw new StoreError('RESERVATION_NOT_OPEN', `Reservation ${id} is ${row?.state ?? 'unknown'}; nothing was signed.`)
}

function of(from: string) {
  return sql<boolean>`lower(from_address) = ${from.toLowerCase()}`
}

type Entries = SelectQueryBuilder<Schema, 'journal', Selectable<Schema['journal']>>

async function entries(engine: Engine, chosen: (rows: Entries) => Entries): Promise<JournalEntry[]> {
  const found = await engine.read((db) => chosen(db.selectFrom('journal').selectAll()).execute())
  return found.map(toEntry)
}

/** An entry as its row has it. */
export function toEntry(row: Selectable<Schema['journal']>): JournalEntry {
  return {
    requestId: row.request_id,
    step: Number(row.step),
    chainId: Number(row.chain_id),
    from: toHex(row.from_address),
    nonce: Number(row.nonce),
    attempt: Number(row.attempt),
    rawTransaction: toHex(row.raw_transaction),
    hash: toHex(row.hash),
    reservationId: row.reservation_id,
    state: row.state as JournalState,
    signedAt: Number(row.signed_at),
    ...(row.block_number === null ? {} : { blockNumber: row.block_number }),
    ...(row.block_hash === null ? {} : { blockHash: toHex(row.block_hash) }),
    ...(row.gas_used === null ? {} : { gasUsed: row.gas_used }),
  }
}

function toHex(text: string): `0x${string}` {
  if (!text.startsWith('0x')) throw new TypeError('The journal holds something that is not hexadecimal.')
  return text as `0x${string}`
}
