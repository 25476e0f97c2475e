import type { Selectable } from 'kysely'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import type { StoreTime } from '../store-time.ts'

/** queued -> sent -> confirmed | failed. */
export type ClaimState = 'queued' | 'sent' | 'confirmed' | 'failed'

export type NewClaim = ClaimScopes & {
  readonly address: string
  readonly amountWei: bigint
}

/** What the caps count by. */
export type ClaimScopes = {
  readonly chainId: number
  readonly appId: string
  /** The range of addresses the request came from. */
  readonly network: string
}

export type Claim = NewClaim & {
  readonly id: string
  readonly state: ClaimState
  readonly txHash: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly settledAt: number | null
}

/** The row of a claim. */
export function toRow(claim: Claim) {
  return {
    id: claim.id,
    chain_id: claim.chainId,
    address: claim.address,
    app_id: claim.appId,
    network: claim.network,
    amount_wei: `${claim.amountWei}`,
    state: claim.state,
    tx_hash: claim.txHash,
    created_at: claim.createdAt,
    settled_at: claim.settledAt,
  }
}

/** A claim as its row has it. */
export function toClaim(row: Selectable<Schema['claim']>): Claim {
  return {
    id: row.id,
    chainId: Number(row.chain_id),
    address: row.address,
    appId: row.app_id,
    network: row.network,
    amountWei: BigInt(row.amount_wei),
    state: row.state as ClaimState,
    txHash: row.tx_hash,
    createdAt: Number(row.created_at),
    settledAt: orNull(row.settled_at),
  }
}

/** Unix milliseconds or none. */
export function orNull(value: bigint | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

/**
 * Counts the claims of a chain on each of the last days (UTC), today last. A day that is over does not change any more, so it
 * is counted once in a process, and later counts look at today alone.
 */
export function createClaimsPerDay(engine: Engine, time: StoreTime): ClaimsPerDay {
  const closed = new Map<number, Map<number, number>>()
  return async (chainId, days) => {
    const at = await engine.read(time)
    const today = Math.floor(at / dayMs)
    const known = closed.get(chainId) ?? new Map<number, number>()
    closed.set(chainId, known)
    const wanted = Array.from({ length: days }, (_, index) => today - days + 1 + index)
    const since = wanted.find((day) => !known.has(day)) ?? today
    const counts = await countSince(engine, chainId, since)
    // A commit of the last moments of a day may come after its end.
    const lastClosed = Math.floor((at - settleMs) / dayMs) - 1
    for (const day of known.keys()) if (day < today - days) known.delete(day)
    for (const day of wanted) if (day >= since && day <= lastClosed) known.set(day, counts.get(day) ?? 0)
    return wanted.map((day) => ({
      day: new Date(day * dayMs).toISOString().slice(0, 10),
      claims: (day < since ? known.get(day) : counts.get(day)) ?? 0,
    }))
  }
}

export type ClaimsPerDay = (
  chainId: number,
  days: number,
) => Promise<readonly { readonly day: string; readonly claims: number }[]>

async function countSince(engine: Engine, chainId: number, since: number): Promise<ReadonlyMap<number, number>> {
  const rows = await engine.read((db) =>
    db
      .selectFrom('claim')
      .select((select) => [
        select('created_at', '/', BigInt(dayMs)).as('day'),
        select.fn.countAll<bigint>().as('claims'),
      ])
      .where('chain_id', '=', BigInt(chainId))
      .where('created_at', '>=', BigInt(since * dayMs))
      .groupBy('day')
      .execute(),
  )
  return new Map(rows.map(({ day, claims }) => [Number(day), Number(claims)]))
}

const dayMs = 86_400_000
const settleMs = 10 * 60_000
