import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, getAddress, type Hex, zeroAddress } from 'viem'
import { v2PairAbi, v3PoolAbi, v3PositionManagerAbi, v4PositionManagerAbi, v4StateViewAbi } from '@svc/amm/abis'
import { poolIdOf, v2PairAddress, v3PoolAddress } from '@svc/amm/liquidity'
import type { IntentDeposit } from '@svc/amm'

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
