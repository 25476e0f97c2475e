import type { Chain } from '@svc/wallet/core'
import { getAddress, type Hex, type Address, encodeFunctionData, zeroAddress } from 'viem'
import { poolIdOf, type PoolKey, v2PairAddress, v3PoolAddress } from '@svc/amm/liquidity'
import { v2PairAbi, v3PoolAbi, v3PositionManagerAbi, v4PositionManagerAbi, v4StateViewAbi } from '@svc/amm/abis'
import type { IntentDeposit } from '@svc/amm'

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

/**
 * The pool that a deposit's key names on a chain, computed and never believed: by CREATE2 for v2 and v3, by its hash for v4.
 * `null` where the chain has no such version, or the key is none (tokens out of order, a hook outside of v4).
 */
export function poolOfKey(chain: Chain, key: PoolKeyFacts): Hex | null {
  const { version, token0, token1, fee, tickSpacing, hooks } = key
  const { v2, v3, v4 } = chain.amm
  if (BigInt(token0) >= BigInt(token1)) return null
  if (version === 'v4') {
    if (v4 === undefined || tickSpacing === null) return null
    return poolIdOf({ currency0: token0, currency1: token1, fee, tickSpacing, hooks: hooks ?? zeroAddress })
  }
  if (hooks !== null) return null
  if (version === 'v3') return v3 === undefined ? null : v3PoolAddress(v3, token0, token1, fee)
  return v2 === undefined ? null : v2PairAddress(v2, token0, token1)
}

export type PoolKeyFacts = Pick<IntentDeposit, 'version' | 'token0' | 'token1' | 'fee' | 'tickSpacing' | 'hooks'>

/** What asks a pool for its price, and a position manager for the pool and the range of a position. */
export function depositReads(chain: Chain, manager: Address, deposit: IntentDeposit): DepositReads | null {
  const pool = poolOfKey(chain, deposit)
  if (pool === null) return null
  const price = priceRead(chain, deposit.version, pool)
  return price === null ? null : { price, position: positionRead(manager, deposit) }
}

export type DepositReads = { readonly price: Read; readonly position: Read | null }

export type Read = { readonly to: Address; readonly data: Hex }

function priceRead(chain: Chain, version: IntentDeposit['version'], pool: Hex): Read | null {
  if (version === 'v4') {
    const { v4 } = chain.amm
    if (v4 === undefined) return null
    return {
      to: v4.stateView,
      data: encodeFunctionData({ abi: v4StateViewAbi, functionName: 'getSlot0', args: [pool] }),
    }
  }
  const data =
    version === 'v3'
      ? encodeFunctionData({ abi: v3PoolAbi, functionName: 'slot0' })
      : encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' })
  return { to: getAddress(pool), data }
}

function positionRead(to: Address, { kind, version, positionId }: IntentDeposit): Read | null {
  if (kind === 'mint' || positionId === null || !/^\d{1,78}$/.test(positionId)) return null
  const args = [BigInt(positionId)] as const
  return version === 'v3'
    ? { to, data: encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'positions', args }) }
    : { to, data: encodeFunctionData({ abi: v4PositionManagerAbi, functionName: 'getPoolAndPositionInfo', args }) }
}

/** A deposit of an intent that one of its calls makes, and what to ask around that call. */
export type CalledDeposit = {
  readonly call: Read
  readonly declared: IntentDeposit
  /** `null` where its key names no pool: the policy has refused it then. */
  readonly reads: DepositReads | null
}
