import {
  type Amounts,
  getAmountsForLiquidity,
  getLiquidityForAmount0,
  getLiquidityForAmount1,
  LpMathError,
  getLiquidityForAmounts,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import { refuseField, refuseTooSmall } from '../refusals.ts'

/**
 * The liquidity that the given amounts buy in a range at the pool's price, and what it takes of each token (smallest
 * units, rounded up, never above a given amount). An amount of `null` follows from the other one. Below the range only
 * token0 is used, above it only token1.
 *
 * @throws ToolError `VALIDATION_FAILED` when an amount of the unused token is given or the needed one is missing,
 *   `AMOUNT_TOO_SMALL` when no liquidity comes of it.
 */
export function fitAmounts(options: FitOptions): Amounts & { liquidity: bigint } {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, fields } = options
  const uses0 = sqrtPriceX96 < sqrtPriceBX96
  const uses1 = sqrtPriceX96 > sqrtPriceAX96
  if (!uses0) requireOneSide(options.amount1, fields.amount1, options.amount0, fields.amount0)
  if (!uses1) requireOneSide(options.amount0, fields.amount0, options.amount1, fields.amount1)
  const bought = [
    uses0 && options.amount0 !== null ? liquidityOf0(options, options.amount0) : null,
    uses1 && options.amount1 !== null ? liquidityOf1(options, options.amount1) : null,
  ].filter((liquidity) => liquidity !== null)
  if (bought.length === 0) throw refuseField(fields.amount1, 'One of the amounts must be given.', 'an amount above 0')
  const liquidity = bought.reduce((least, next) => (next < least ? next : least))
  return {
    liquidity,
    ...getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, true),
  }
}

export type FitOptions = {
  /** The pool's price and the range from A up to B (sqrt prices Q64.96). */
  readonly sqrtPriceX96: bigint
  readonly sqrtPriceAX96: bigint
  readonly sqrtPriceBX96: bigint
  /** In the pool's order; at most one is `null`. */
  readonly amount0: bigint | null
  readonly amount1: bigint | null
  /** What the caller calls the two amounts. */
  readonly fields: AmountFields
}

export type AmountFields = { readonly amount0: string; readonly amount1: string }

function liquidityOf0(options: FitOptions, amount0: bigint): bigint {
  const from = greater(options.sqrtPriceX96, options.sqrtPriceAX96)
  return bought(options.fields.amount0, () => getLiquidityForAmount0(from, options.sqrtPriceBX96, amount0))
}

function liquidityOf1(options: FitOptions, amount1: bigint): bigint {
  const to = -greater(-options.sqrtPriceX96, -options.sqrtPriceBX96)
  return bought(options.fields.amount1, () => getLiquidityForAmount1(options.sqrtPriceAX96, to, amount1))
}

function bought(field: string, liquidityOf: () => bigint): bigint {
  const liquidity = fits(field, liquidityOf)
  if (liquidity === 0n) throw refuseTooSmall(field, 'This amount buys no liquidity in the range.')
  return liquidity
}

function fits(field: string, liquidityOf: () => bigint): bigint {
  try {
    return liquidityOf()
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseField(
      field,
      'The amount buys more liquidity than a pool can hold.',
      'a smaller amount, or a wider range',
    )
  }
}

/** Of a range that takes one token alone: says of both amounts what they may be, for one is wrong where the other is corrected alone. */
function requireOneSide(used: bigint | null, usedField: string, unused: bigint | null, unusedField: string): void {
  // The first amount cannot be left out.
  const accepted = `${unusedField} 0${unusedField === 'amount0' ? '' : ' or left out'} and ${usedField} above 0`
  if (unused !== null && unused !== 0n) {
    throw refuseField(unusedField, 'The price lies outside of the range, where this token is not used.', accepted)
  }
  if (used === null) {
    throw refuseField(usedField, 'The price lies outside of the range, which takes this token alone.', accepted)
  }
}

function greater(first: bigint, second: bigint): bigint {
  return first > second ? first : second
}

/**
 * The liquidity that v3 gives for fixed amounts at the pool's price, and the least that it gives at any price within the
 * slippage. Where the range takes one token alone, the pool gives the same at every price or refuses.
 *
 * @throws LpMathError `LIQUIDITY_OUT_OF_RANGE` where the pool cannot hold what the amounts buy.
 */
export function liquidityForAmounts({ bounds, amount0, amount1, slippageBps }: FixedAmounts): {
  readonly liquidity: bigint
  readonly minLiquidity: bigint
} {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
  const at = (price: bigint) => getLiquidityForAmounts(price, sqrtPriceAX96, sqrtPriceBX96, amount0, amount1)
  const liquidity = at(sqrtPriceX96)
  if (sqrtPriceX96 <= sqrtPriceAX96 || sqrtPriceX96 >= sqrtPriceBX96) return { liquidity, minLiquidity: liquidity }
  const worst = sqrtPricesAfterSlippage(sqrtPriceX96, slippageBps)
  const atEnds = [worst.lower, worst.upper].map((price) => unlessRefused(() => at(price)) ?? liquidity)
  return { liquidity, minLiquidity: atEnds.reduce((least, one) => (one < least ? one : least), liquidity) }
}

export type FixedAmounts = Amounts & { readonly bounds: RangeBounds; readonly slippageBps: number }

/** A pool's price and a range, as sqrt prices Q64.96. */
export type RangeBounds = {
  readonly sqrtPriceX96: bigint
  readonly sqrtPriceAX96: bigint
  readonly sqrtPriceBX96: bigint
}

/** Close to the end of a range one side alone can stand for more liquidity than a pool takes: it refuses the deposit. */
function unlessRefused(liquidity: () => bigint): bigint | null {
  try {
    return liquidity()
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}
