import type { Selectable } from 'kysely'
import type { Claim, ClaimState } from './claim.ts'
import type { Schema } from '../schema.ts'

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
