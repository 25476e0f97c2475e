import type { Address } from 'viem'
import type { Pool, Token } from '../../ports.ts'

/** A pool as the chain knows it: tokens by address only. */
export type PoolState = Omit<Pool, 'token0' | 'token1' | 'blockNumber'> & {
  readonly token0: Address
  readonly token1: Address
}

/** The pool of a state, with its tokens named and the block it was read at. */
export function poolOf(state: PoolState, tokens: readonly [Token, Token], blockNumber: bigint): Pool {
  return { ...state, token0: tokens[0], token1: tokens[1], blockNumber }
}

/** Two things with addresses in the order in which pools keep them: by address, as numbers. */
export function sortPair<Item extends { readonly address: Address }>(a: Item, b: Item): [Item, Item] {
  return BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a]
}
