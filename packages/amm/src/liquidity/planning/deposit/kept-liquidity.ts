import { type Amounts, getAmountsForLiquidity } from '@svc/lp-math'
import type { KeptDeposit } from '../../../intent.ts'
import type { RangeBounds } from './liquidity-for-amounts.ts'

/**
 * The liquidity of a v4 plan that is carried out, and what it takes at the present price (rounded up): its calldata fixes the
 * liquidity, so the very one that was planned is deposited. `null` where no v4 plan is.
 */
export function keptLiquidity(
  kept: KeptDeposit | undefined,
  { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 }: RangeBounds,
): (Amounts & { liquidity: bigint }) | null {
  if (kept?.deposit.version !== 'v4') return null
  const { liquidity } = kept.deposit
  return { liquidity, ...getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, true) }
}
