import type { Address } from 'viem'
import type { Pool, Token } from '../../ports.ts'
import { unknownVersion } from '../../ports/pools.ts'

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

/**
 * Share of a swap's fee that goes to liquidity providers, after the protocol's part, between 0 and 1. `fee` is the fee the
 * swap paid (hundredths of a basis point), `zeroForOne` whether token0 went in.
 * v3-core: slot0.feeProtocol holds a denominator in four bits for each token. v4-core: protocolFee holds pips of the input
 * in twelve bits for each direction, and the fee of the Swap event includes it.
 */
export function lpFeeShare(pool: Pick<Pool, 'version' | 'protocolFee'>, fee: number, zeroForOne: boolean): number {
  if (pool.version === 'v2' || fee === 0) return 1
  if (pool.version === 'v3') {
    const denominator = zeroForOne ? pool.protocolFee % 16 : pool.protocolFee >> 4
    return denominator === 0 ? 1 : 1 - 1 / denominator
  }
  if (pool.version !== 'v4') throw unknownVersion(pool.version)
  const protocolPips = zeroForOne ? pool.protocolFee & 0xfff : pool.protocolFee >> 12
  return Math.max(0, 1 - protocolPips / fee)
}
