import type { Address } from 'viem'
import { contractFunction } from '../../rpc/contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import type { PoolState } from '../pools/pool-state.ts'

/** The state of a v3 pool; `null` where no pool stands or it was never given a price. */
export function v3PoolQuery(pool: Address, identity: Query<V3Identity | null>): Query<PoolState | null> {
  const state = query(
    [
      readSlot0(pool, []),
      readLiquidity(pool, []),
      readFeeGrowthGlobal0X128(pool, []),
      readFeeGrowthGlobal1X128(pool, []),
    ],
    (results) => results,
  )
  return mapQuery(joinQueries([identity, state] as const), ([known, [slot0, liquidity, growth0, growth1]]) => {
    if (known === null || slot0 === null || liquidity === null || growth0 === null || growth1 === null) return null
    const [sqrtPriceX96, tick, , , , feeProtocol] = slot0
    if (sqrtPriceX96 === 0n) return null
    return {
      ...known,
      version: 'v3',
      id: pool,
      hooks: null,
      sqrtPriceX96,
      tick,
      liquidity,
      reserve0: null,
      reserve1: null,
      feeGrowthGlobal0X128: growth0,
      feeGrowthGlobal1X128: growth1,
      protocolFee: feeProtocol,
    }
  })
}

export type V3Identity = Pick<PoolState, 'token0' | 'token1' | 'fee' | 'tickSpacing'>

/** Which pool a contract says it is. */
export function v3IdentityQuery(pool: Address): Query<V3Identity | null> {
  const reads = [readToken0(pool, []), readToken1(pool, []), readFee(pool, []), readTickSpacing(pool, [])] as const
  return query(reads, ([token0, token1, fee, tickSpacing]) =>
    token0 === null || token1 === null || fee === null || tickSpacing === null
      ? null
      : { token0, token1, fee, tickSpacing },
  )
}

const readSlot0 = contractFunction(v3PoolAbi, 'slot0')
const readLiquidity = contractFunction(v3PoolAbi, 'liquidity')
const readFeeGrowthGlobal0X128 = contractFunction(v3PoolAbi, 'feeGrowthGlobal0X128')
const readFeeGrowthGlobal1X128 = contractFunction(v3PoolAbi, 'feeGrowthGlobal1X128')
const readToken0 = contractFunction(v3PoolAbi, 'token0')
const readToken1 = contractFunction(v3PoolAbi, 'token1')
const readFee = contractFunction(v3PoolAbi, 'fee')
const readTickSpacing = contractFunction(v3PoolAbi, 'tickSpacing')
