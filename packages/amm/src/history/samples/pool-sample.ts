import type { Chain } from '@svc/wallet/core'
import { contractFunction } from '../../rpc/contract-function.ts'
import { joinQueries, knownQuery, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v2PairAbi } from '../../abis/v2.ts'
import { v2PairQuery, v3PoolQuery, v4StateQuery } from '../../liquidity/pools/pool-state.ts'
import type { Pool } from '../../ports.ts'
import { unknownVersion } from '../../ports/pools.ts'

/** What a pool stands at in a block, as far as its past is made from it; `null` where it had no price yet. */
export function sampleQuery(chain: Chain, pool: Pool): Query<SampledState | null> {
  const { version, id } = pool
  const { fee } = pool
  if (version === 'v4') {
    const { v4 } = chain.amm
    if (v4 === undefined) return knownQuery(null)
    return mapQuery(v4StateQuery(v4, id), (state) =>
      state === null ? null : { ...state, fee: state.lpFee, pair: null },
    )
  }
  const tokens = { token0: pool.token0.address, token1: pool.token1.address }
  if (version === 'v3') {
    const identity = knownQuery({ ...tokens, fee, tickSpacing: pool.tickSpacing })
    return mapQuery(v3PoolQuery(id, identity), (state) => {
      if (state === null || state.feeGrowthGlobal0X128 === null || state.feeGrowthGlobal1X128 === null) return null
      const { sqrtPriceX96, liquidity, protocolFee, feeGrowthGlobal0X128, feeGrowthGlobal1X128 } = state
      return {
        sqrtPriceX96,
        liquidity,
        protocolFee,
        fee,
        pair: null,
        growth: [feeGrowthGlobal0X128, feeGrowthGlobal1X128],
      }
    })
  }
  if (version !== 'v2') throw unknownVersion(version)
  const supply = query([readTotalSupply(id, [])], ([shares]) => shares)
  return mapQuery(joinQueries([v2PairQuery(id, knownQuery(tokens)), supply] as const), ([state, shares]) => {
    if (state === null || shares === null || shares === 0n) return null
    const { sqrtPriceX96, liquidity, protocolFee, reserve0, reserve1 } = state
    if (reserve0 === null || reserve1 === null) return null
    return { sqrtPriceX96, liquidity, protocolFee, fee, growth: null, pair: { reserve0, reserve1, shares } }
  })
}

export type SampledState = {
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  readonly protocolFee: number
  /** As `Pool.fee`: in v4 what liquidity providers take. */
  readonly fee: number
  /** Fees for one unit of liquidity at all prices, as the pool counts them (Q128.128); `null` for a pair. */
  readonly growth: readonly [token0: bigint, token1: bigint] | null
  /** Of a pair alone, whose fees stay in its reserves. */
  readonly pair: { readonly reserve0: bigint; readonly reserve1: bigint; readonly shares: bigint } | null
}

export type PoolSample = {
  /** The time it was asked for: the state is that of the last block before it, or of one near to that. Unix seconds. */
  readonly wanted: number
  /** The time of its block. */
  readonly timestamp: number
  readonly blockNumber: bigint
  readonly state: SampledState | null
}

const readTotalSupply = contractFunction(v2PairAbi, 'totalSupply')
