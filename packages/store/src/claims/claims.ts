import { randomUUID } from 'node:crypto'
import type { Kysely, Transaction } from 'kysely'
import {
  type Claim,
  type ClaimScopes,
  type ClaimState,
  type NewClaim,
  type ClaimsPerDay,
  createClaimsPerDay,
  orNull,
  toClaim,
  toRow,
} from './claim.ts'
import type { Engine } from '../engine.ts'
import { openStates } from '../journal/journal-queries.ts'
import type { Schema } from '../schema.ts'
import type { StoreTime } from '../store-time.ts'

/**
 * Grants of the faucet: one for each address and chain, for good. A claim is in the store before anything is sent for it,
 * and nothing but its state and its transaction changes afterwards.
 */
export function createClaims(engine: Engine, time: StoreTime): Claims {
  return {
    make: (requests, caps) => engine.write('claims', async (trx) => makeAll(trx, requests, caps, await time(trx))),
    async find(chainId, address) {
      const row = await engine.read((db) =>
        db
          .selectFrom('claim')
          .selectAll()
          .where('chain_id', '=', BigInt(chainId))
          .where('address', '=', address.toLowerCase())
          .executeTakeFirst(),
      )
      return row === undefined ? null : toClaim(row)
    },
    async findAll(slots) {
      const found = await engine.read((db) => claimsOf(db, slots))
      return slots.map((one) => found.get(slot(one)) ?? null)
    },
    async waiting(chainId, limit, except = []) {
      const rows = await engine.read((db) =>
        db
          .selectFrom('claim')
          .selectAll()
          .where('chain_id', '=', BigInt(chainId))
          .where('state', 'in', ['queued', 'sent'])
          .$if(except.length > 0, (query) => query.where('id', 'not in', except))
          .orderBy('sequence')
          .limit(limit)
          .execute(),
      )
      return rows.map(toClaim)
    },
    async otherSigners(chainId, address) {
      const rows = await engine.read((db) =>
        db
          .selectFrom('claim')
          .innerJoin('journal', 'journal.request_id', 'claim.id')
          .select('journal.from_address')
          .distinct()
          .where('claim.chain_id', '=', BigInt(chainId))
          .where('claim.state', 'in', ['queued', 'sent'])
          .where('journal.state', 'in', [...openStates, 'refused'])
          .where(({ fn }) => fn<string>('lower', ['journal.from_address']), '<>', address.toLowerCase())
          .execute(),
      )
      return rows.map((row) => row.from_address)
    },
    async movedOn(ids) {
      const rows = await engine.read((db) =>
        db.selectFrom('claim').selectAll().where('id', 'in', ids).where('state', '!=', 'queued').execute(),
      )
      return rows.map(toClaim)
    },
    async mark(id, state, txHash) {
      const isSettled = state === 'confirmed' || state === 'failed'
      await engine.write('claims', async (trx) =>
        trx
          .updateTable('claim')
          .set({ state, tx_hash: txHash, settled_at: isSettled ? await time(trx) : null })
          .where('id', '=', id)
          .where('state', 'in', ['queued', 'sent'])
          .execute(),
      )
    },
    async retry(id) {
      const { numUpdatedRows } = await engine.write('claims', (trx) =>
        trx
          .updateTable('claim')
          .set({ state: 'queued', tx_hash: null, settled_at: null })
          .where('id', '=', id)
          .where('state', '=', 'failed')
          .executeTakeFirst(),
      )
      return numUpdatedRows > 0n
    },
    used: (cap, request) =>
      engine.read(
        async (db) => (await countUses(db, [request], cap, await time(db))).used.get(keyOf(cap, request)) ?? 0,
      ),
    queue: (chainId) =>
      engine.read(async (db) => {
        const { depth, oldest } = await db
          .selectFrom('claim')
          .select(({ fn }) => [fn.countAll<bigint>().as('depth'), fn.min('created_at').as('oldest')])
          .where('chain_id', '=', BigInt(chainId))
          .where('state', 'in', ['queued', 'sent'])
          .executeTakeFirstOrThrow()
        const newest = await db
          .selectFrom('claim')
          .select('created_at')
          .where('chain_id', '=', BigInt(chainId))
          .orderBy('created_at', 'desc')
          .limit(1)
          .executeTakeFirst()
        return { depth: Number(depth), oldestAt: orNull(oldest), newestAt: orNull(newest?.created_at) }
      }),
    perDay: createClaimsPerDay(engine, time),
  }
}

export type Claims = {
  /**
   * Takes claims in, in one commit: the first for an address and chain is made, every later one is linked to it. Those
   * above a cap are not made. One verdict for each request, in their order; of two equal ones the first is made.
   */
  make(requests: readonly NewClaim[], caps: readonly ClaimCap[]): Promise<readonly ClaimVerdict[]>
  find(chainId: number, address: string): Promise<Claim | null>
  /** One look for many: a claim or `null` for each, in their order. */
  findAll(slots: readonly Pick<Claim, 'chainId' | 'address'>[]): Promise<readonly (Claim | null)[]>
  /** Queued and sent ones of a chain, oldest first, but for those of the ids in `except`. */
  waiting(chainId: number, limit: number, except?: readonly string[]): Promise<readonly Claim[]>
  /** Other addresses that signed for a claim that is queued or sent, and whose transaction may still be mined. */
  otherSigners(chainId: number, address: string): Promise<readonly string[]>
  /** Of these claims the ones that are not queued any more. */
  movedOn(ids: readonly string[]): Promise<readonly Claim[]>
  /** Moves a claim along that is queued or sent; a settled one stays. */
  mark(id: string, state: ClaimState, txHash: string | null): Promise<void>
  /** Queues a failed claim again, as if nothing had been sent for it. False when it has not failed. */
  retry(id: string): Promise<boolean>
  /** How much of a cap is used in its window that ends now. */
  used(cap: Pick<ClaimCap, 'scope' | 'windowMs'>, of: ClaimScopes): Promise<number>
  queue(chainId: number): Promise<{
    readonly depth: number
    /** Unix milliseconds. */
    readonly oldestAt: number | null
    readonly newestAt: number | null
  }>
  /** Claims of each of the last `days` days (UTC), today last. */
  readonly perDay: ClaimsPerDay
}

/** At most `claims` of one app, one range of addresses or one chain in any `windowMs`. */
export type ClaimCap = { readonly scope: CapScope; readonly claims: number; readonly windowMs: number }

type CapScope = 'app' | 'network' | 'chain'

export type ClaimVerdict =
  | { readonly status: 'made' | 'claimed'; readonly claim: Claim }
  | { readonly status: 'capped'; readonly scope: CapScope; readonly retryAfterMs: number }

const columns = { app: 'app_id', network: 'network', chain: 'chain_id' } as const

async function makeAll(
  trx: Transaction<Schema>,
  requests: readonly NewClaim[],
  caps: readonly ClaimCap[],
  at: number,
): Promise<readonly ClaimVerdict[]> {
  const known = await claimsOf(trx, requests)
  const uses = await Promise.all(caps.map((cap) => countUses(trx, requests, cap, at)))
  const made: Claim[] = []
  const verdicts = requests.map((request): ClaimVerdict | (() => Promise<ClaimVerdict>) => {
    const earlier = known.get(slot(request))
    if (earlier !== undefined) return { status: 'claimed', claim: earlier }
    const full = uses.find(({ used, cap }) => (used.get(keyOf(cap, request)) ?? 0) >= cap.claims)
    if (full !== undefined) return () => capped(trx, full.cap, request, at)
    for (const { used, cap } of uses) used.set(keyOf(cap, request), (used.get(keyOf(cap, request)) ?? 0) + 1)
    const fresh = { state: 'queued', txHash: null, createdAt: at, settledAt: null } as const
    const claim: Claim = { ...request, ...fresh, id: randomUUID(), address: request.address.toLowerCase() }
    known.set(slot(request), claim)
    made.push(claim)
    return { status: 'made', claim }
  })
  if (made.length > 0) await trx.insertInto('claim').values(made.map(toRow)).execute()
  return await Promise.all(verdicts.map(async (verdict) => (typeof verdict === 'function' ? verdict() : verdict)))
}

function slot({ chainId, address }: Pick<NewClaim, 'chainId' | 'address'>): string {
  return `${chainId} ${address.toLowerCase()}`
}

async function claimsOf(
  trx: Kysely<Schema>,
  requests: readonly Pick<Claim, 'chainId' | 'address'>[],
): Promise<Map<string, Claim>> {
  const found = new Map<string, Claim>()
  for (const chainId of new Set(requests.map((request) => request.chainId))) {
    const addresses = requests.filter((request) => request.chainId === chainId).map(({ address }) => address)
    const rows = await trx
      .selectFrom('claim')
      .selectAll()
      .where('chain_id', '=', BigInt(chainId))
      .where(
        'address',
        'in',
        addresses.map((address) => address.toLowerCase()),
      )
      .execute()
    for (const claim of rows.map(toClaim)) found.set(slot(claim), claim)
  }
  return found
}

/** How much was claimed in the window of a cap, by app, range or chain. Grows as claims come to it. */
async function countUses<Cap extends Pick<ClaimCap, 'scope' | 'windowMs'>>(
  db: Kysely<Schema>,
  requests: readonly ClaimScopes[],
  cap: Cap,
  at: number,
) {
  const column = columns[cap.scope]
  const rows = await db
    .selectFrom('claim')
    .select(({ fn }) => [column, fn.countAll<bigint>().as('used')])
    .where(column, 'in', [...new Set(requests.map((request) => keyOf(cap, request)))])
    .where('created_at', '>', BigInt(at - cap.windowMs))
    .groupBy(column)
    .execute()
  const used = new Map<string | bigint, number>()
  for (const row of rows) {
    const key = row[column]
    if (key !== undefined) used.set(key, Number(row.used))
  }
  return { cap, used }
}

/** The wait ends when the claim leaves the window that is the last above the cap now. */
async function capped(trx: Transaction<Schema>, cap: ClaimCap, request: NewClaim, at: number): Promise<ClaimVerdict> {
  const row = await trx
    .selectFrom('claim')
    .select('created_at')
    .where(columns[cap.scope], '=', keyOf(cap, request))
    .orderBy('created_at', 'desc')
    .offset(cap.claims - 1)
    .limit(1)
    .executeTakeFirst()
  const leavesAt = Number(row?.created_at ?? at) + cap.windowMs
  return { status: 'capped', scope: cap.scope, retryAfterMs: Math.max(leavesAt - at, 1) }
}

function keyOf({ scope }: Pick<ClaimCap, 'scope'>, { appId, network, chainId }: ClaimScopes): string | bigint {
  if (scope === 'app') return appId
  return scope === 'network' ? network : BigInt(chainId)
}
