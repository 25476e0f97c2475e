import type { Chain } from '@svc/wallet/core'
import { getAddress, type Hex } from 'viem'
import { poolIdOf, type PoolKey, v2PairAddress, v3PoolAddress } from '@svc/amm/liquidity'

/** A pool by what calldata says of it. Tokens in its order, in lower case. */
export type PoolIdentity = {
  readonly id: Hex
  readonly token0: string
  readonly token1: string
}

/** A pair where `fee` is `null`, else a v3 pool; where it stands follows from its tokens. */
export function poolIdentity(chain: Chain, tokenA: string, tokenB: string, fee: number | null): PoolIdentity {
  const [token0, token1] = sortedTokens(tokenA, tokenB)
  const { v2, v3 } = chain.amm
  const addresses = [getAddress(token0), getAddress(token1)] as const
  const id =
    fee === null ? v2 && v2PairAddress(v2, ...addresses) : v3 && v3PoolAddress(v3, addresses[0], addresses[1], fee)
  if (id === undefined) throw new TypeError('calldata of a version that is not deployed')
  return { id, token0, token1 }
}

export function identityOfKey(key: PoolKey): PoolIdentity {
  return { id: poolIdOf(key), token0: key.currency0.toLowerCase(), token1: key.currency1.toLowerCase() }
}

/** The key of a v4 pool out of calldata. */
export function keyIn(value: unknown): PoolKey {
  const record = recordIn(value)
  return {
    currency0: getAddress(textIn(record['currency0'])),
    currency1: getAddress(textIn(record['currency1'])),
    fee: Number(record['fee']),
    tickSpacing: Number(record['tickSpacing']),
    hooks: getAddress(textIn(record['hooks'])),
  }
}

export function sortedTokens(one: string, other: string): readonly [string, string] {
  return BigInt(one) < BigInt(other) ? [one, other] : [other, one]
}

/** Members of a part of calldata by their kind. They throw `TypeError` for what is none of it. */

export function uintIn(value: unknown): bigint {
  if (typeof value !== 'bigint') throw new TypeError('an amount of the calldata is no number')
  return value
}

/** Lower case. */
export function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a member of the calldata is no text')
  return value.toLowerCase()
}

export function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordIn) : []
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('a member of the calldata is no tuple')
  return value as Readonly<Record<string, unknown>>
}
