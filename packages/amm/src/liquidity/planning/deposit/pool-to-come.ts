import { getTickAtSqrtPrice } from '@svc/lp-math'
import type { Pool } from '../../../ports.ts'
import type { OrderedPair } from '../order-pair.ts'

/** A pool as a deposit would create it: at a price, and empty. */
export function poolToCome(
  pair: OrderedPair,
  facts: Pick<Pool, 'version' | 'id' | 'fee' | 'tickSpacing' | 'hooks' | 'sqrtPriceX96' | 'blockNumber'>,
): Pool {
  const reserve = facts.version === 'v2' ? 0n : null
  const feeGrowth = facts.version === 'v2' ? null : 0n
  return {
    ...facts,
    token0: pair.token0,
    token1: pair.token1,
    tick: getTickAtSqrtPrice(facts.sqrtPriceX96),
    liquidity: 0n,
    reserve0: reserve,
    reserve1: reserve,
    feeGrowthGlobal0X128: feeGrowth,
    feeGrowthGlobal1X128: feeGrowth,
    protocolFee: 0,
  }
}
