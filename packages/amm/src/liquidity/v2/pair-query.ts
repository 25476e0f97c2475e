import { getTickAtSqrtPrice, integerSqrt, MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '@svc/lp-math'
import type { Address } from 'viem'
import { contractFunction } from '../../rpc/contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v2PairAbi } from '../../abis/v2.ts'
import type { PoolState } from '../pools/pool-state.ts'

/** The state of a v2 pair of known tokens; `null` where no pair stands or it holds nothing, hence has no price. */
export function v2PairQuery(pair: Address, tokens: Query<V2Identity | null>): Query<PoolState | null> {
  const reserves = query([readReserves(pair, [])], ([reserves]) => reserves)
  return mapQuery(joinQueries([tokens, reserves] as const), ([identity, reserves]) => {
    if (identity === null || reserves === null) return null
    const [reserve0, reserve1] = reserves
    const sqrtPriceX96 = reserve0 === 0n ? 0n : integerSqrt((reserve1 << 192n) / reserve0)
    if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) return null
    return {
      ...identity,
      version: 'v2',
      id: pair,
      fee: v2Fee,
      tickSpacing: null,
      hooks: null,
      sqrtPriceX96,
      tick: getTickAtSqrtPrice(sqrtPriceX96),
      liquidity: integerSqrt(reserve0 * reserve1),
      reserve0,
      reserve1,
      feeGrowthGlobal0X128: null,
      feeGrowthGlobal1X128: null,
      protocolFee: 0,
    }
  })
}

export type V2Identity = Pick<PoolState, 'token0' | 'token1'>

/** Which tokens a contract says it is the pair of. */
export function v2IdentityQuery(pair: Address): Query<V2Identity | null> {
  const reads = [readToken0(pair, []), readToken1(pair, [])] as const
  return query(reads, ([token0, token1]) => (token0 === null || token1 === null ? null : { token0, token1 }))
}

/** Every v2 pair takes 0.3 % of the input. */
const v2Fee = 3_000

const readReserves = contractFunction(v2PairAbi, 'getReserves')
const readToken0 = contractFunction(v2PairAbi, 'token0')
const readToken1 = contractFunction(v2PairAbi, 'token1')
