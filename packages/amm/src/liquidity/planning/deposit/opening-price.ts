import { getTickAtSqrtPrice, LpMathError, sqrtPriceFromAmounts } from '@svc/lp-math'
import type { Pool } from '../../../ports.ts'
import type { OrderedPair } from '../order-pair.ts'
import type { AmountFields } from './fit-amounts.ts'
import { refuseField } from '../refusals.ts'

/**
 * The sqrt price (Q64.96) at which a missing pool is created: that of the two amounts, given in the pool's order.
 *
 * @throws ToolError `VALIDATION_FAILED` when one of them is missing or zero, or no pool can have their price.
 */
export function openingPrice(
  amounts: { readonly amount0: bigint | null; readonly amount1: bigint | null },
  fields: AmountFields,
): bigint {
  const amount0 = requireForPrice(amounts.amount0, fields.amount0)
  const amount1 = requireForPrice(amounts.amount1, fields.amount1)
  try {
    return sqrtPriceFromAmounts({ amount0, amount1 })
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseField('amount1', 'No pool can have the price of these amounts.', 'amounts of closer value')
  }
}

function requireForPrice(amount: bigint | null, field: string): bigint {
  if (amount !== null && amount > 0n) return amount
  throw refuseField(
    field,
    'This pool does not exist yet and is created at the price of the two amounts.',
    'both amounts above 0, or the fee of a pool that exists',
  )
}

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
