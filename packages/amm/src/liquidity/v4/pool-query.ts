import type { AmmDeployment } from '@svc/wallet/core'
import { slice, zeroAddress, type Hex } from 'viem'
import { contractFunction } from '../../rpc/contract-function.ts'
import { mapQuery, query, type Query } from '../../rpc/query.ts'
import { v4PositionManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import type { PoolState } from '../pools/pool-state.ts'
import { poolIdOf, type PoolKey } from './pool-key.ts'

/** The price, fees and liquidity of a v4 pool by its id; `null` where none was initialised. */
export function v4StateQuery(deployment: NonNullable<AmmDeployment['v4']>, id: Hex): Query<V4State | null> {
  const reads = [
    readSlot0(deployment.stateView, [id]),
    readLiquidity(deployment.stateView, [id]),
    readFeeGrowth(deployment.stateView, [id]),
  ] as const
  return query(reads, ([slot0, liquidity, growth]) => {
    if (slot0 === null || liquidity === null || growth === null || slot0[0] === 0n) return null
    const [sqrtPriceX96, tick, protocolFee, lpFee] = slot0
    return { id, sqrtPriceX96, tick, protocolFee, lpFee, liquidity, growth }
  })
}

/** The v4 pool of a key with the fee in force; `null` where none was initialised. */
export function v4PoolQuery(deployment: NonNullable<AmmDeployment['v4']>, key: PoolKey): Query<PoolState | null> {
  return mapQuery(v4StateQuery(deployment, poolIdOf(key)), (state) => (state === null ? null : v4PoolState(key, state)))
}

/** The key of a pool that the PositionManager has ever been used with, proved by the id; else `null`. */
export function v4KeyQuery(deployment: NonNullable<AmmDeployment['v4']>, id: Hex): Query<PoolKey | null> {
  const read = readPoolKeys(deployment.positionManager, [slice(id, 0, 25)])
  return query([read], ([stored]) => {
    if (stored === null) return null
    const [currency0, currency1, fee, tickSpacing, hooks] = stored
    const key = { currency0, currency1, fee, tickSpacing, hooks }
    return poolIdOf(key) === id ? key : null
  })
}

/** A key and a state as one. */
export function v4PoolState(key: PoolKey, state: V4State): PoolState {
  return {
    version: 'v4',
    id: state.id,
    token0: key.currency0,
    token1: key.currency1,
    fee: state.lpFee,
    tickSpacing: key.tickSpacing,
    hooks: key.hooks === zeroAddress ? null : key.hooks,
    sqrtPriceX96: state.sqrtPriceX96,
    tick: state.tick,
    liquidity: state.liquidity,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: state.growth[0],
    feeGrowthGlobal1X128: state.growth[1],
    protocolFee: state.protocolFee,
  }
}

export type V4State = {
  readonly id: Hex
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly protocolFee: number
  /** What liquidity providers take in force now; the key's own unless a hook decides. */
  readonly lpFee: number
  readonly liquidity: bigint
  readonly growth: readonly [growth0X128: bigint, growth1X128: bigint]
}

const readSlot0 = contractFunction(v4StateViewAbi, 'getSlot0')
const readLiquidity = contractFunction(v4StateViewAbi, 'getLiquidity')
const readFeeGrowth = contractFunction(v4StateViewAbi, 'getFeeGrowthGlobals')
const readPoolKeys = contractFunction(v4PositionManagerAbi, 'poolKeys')
