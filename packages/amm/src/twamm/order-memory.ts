import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import { createRecent } from '../create-recent.ts'

/** What identifies an order within its pool. */
export type OrderKey = {
  readonly owner: Address
  /** Unix seconds. */
  readonly expiration: bigint
  readonly zeroForOne: boolean
}

/** What never changes of an order: the key that its id is a hash of, and what the pool's price was at the log that placed it. */
export type OrderMemory = {
  of(chain: Chain, orderId: Hex): KnownOrder | null
  keep(chain: Chain, orderId: Hex, known: KnownOrder): void
}

type KnownOrder = {
  readonly key: OrderKey
  readonly placed: { readonly pool: Hex; readonly blockHash: Hex; readonly logIndex: number }
  readonly sqrtPriceX96AtStart: bigint | null
}

/** Remembers the last 1,000 orders. */
export function createOrderMemory(): OrderMemory {
  const recent = createRecent<KnownOrder>(1_000)
  return {
    of: (chain, orderId) => recent.of(`${chain.id} ${orderId}`),
    keep: (chain, orderId, known) => recent.keep(`${chain.id} ${orderId}`, known),
  }
}
