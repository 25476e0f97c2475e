import { type SwapOptions, type SwapResult, walkSwap } from './walk-swap.ts'
import { Q192 } from '../integers/integers.ts'
import { getLiquidityForAmounts } from '../liquidity/liquidity.ts'
import { LpMathError } from '../lp-math-error.ts'
import { requireAmount } from '../sqrt-price/sqrt-price.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/ticks.ts'

/**
 * How much of which token to swap in the same pool, so that what is left of two amounts fits a range's ratio at the price after the
 * swap's own impact and fee.
 * Exact: bisection to the unit over the swap itself; swapping one unit more or less gives no more liquidity. Liquidity
 * that will have left the pool before the swap (a rebalance) must be taken out of `liquidity` and `ticks` by the caller.
 * @throws LpMathError `RANGE_EMPTY`, `AMOUNT_NEGATIVE`, and what `swapThroughTicks` throws.
 */
export function solveSwapToRatio(options: SwapToRatioOptions): SwapToRatio {
  requireAmount(options.amount0)
  requireAmount(options.amount1)
  if (options.sqrtLowerX96 >= options.sqrtUpperX96)
    throw new LpMathError('RANGE_EMPTY', 'The lower price is below the upper.')
  const zeroForOne = hasSurplus0(options.amount0, options.amount1, options.sqrtPriceX96, options)
  const unswapped = afterSwap(options, zeroForOne, 0n)
  const surplus = zeroForOne || hasSurplus1(options.amount0, options.amount1, options.sqrtPriceX96, options)
  if (!surplus || isAtLimit(options, zeroForOne)) return unswapped

  // The greatest input that leaves a surplus; one unit more and the other token is in surplus, or nothing.
  let [least, most] = [0n, zeroForOne ? options.amount0 : options.amount1]
  while (least < most) {
    const middle = (least + most + 1n) >> 1n
    if (leavesSurplus(options, zeroForOne, middle)) least = middle
    else most = middle - 1n
  }
  const before = afterSwap(options, zeroForOne, least)
  const after = afterSwap(options, zeroForOne, least + 1n)
  const best = after.liquidity > before.liquidity ? after : before
  return best.liquidity > unswapped.liquidity ? best : unswapped
}

/** The pool as for `swapThroughTicks`, amounts in smallest units, the range as sqrt prices (Q64.96). */
export type SwapToRatioOptions = Omit<
  SwapOptions,
  'amountSpecified' | 'exactIn' | 'zeroForOne' | 'sqrtPriceLimitX96'
> & {
  amount0: bigint
  amount1: bigint
  sqrtLowerX96: bigint
  sqrtUpperX96: bigint
}

/** The swap (`amountIn` 0: none is worth it), the amounts left after it, and the liquidity they then buy in the range. */
export type SwapToRatio = {
  zeroForOne: boolean
  amountIn: bigint
  amountOut: bigint
  amount0: bigint
  amount1: bigint
  sqrtPriceX96After: bigint
  liquidity: bigint
}

type Range = { sqrtLowerX96: bigint; sqrtUpperX96: bigint }

function afterSwap(options: SwapToRatioOptions, zeroForOne: boolean, amountSpecified: bigint): SwapToRatio {
  const swap = swapWithin(options, zeroForOne, amountSpecified)
  return { zeroForOne, ...swap, liquidity: mintableLiquidity(swap, options) }
}

/** The liquidity a mint would give; 0 where the contracts would refuse it because one side does not fit 128 bits. */
function mintableLiquidity(
  after: { sqrtPriceX96After: bigint; amount0: bigint; amount1: bigint },
  range: Range,
): bigint {
  const { sqrtLowerX96, sqrtUpperX96 } = range
  try {
    return getLiquidityForAmounts(after.sqrtPriceX96After, sqrtLowerX96, sqrtUpperX96, after.amount0, after.amount1)
  } catch (error) {
    if (error instanceof LpMathError && error.code === 'LIQUIDITY_OUT_OF_RANGE') return 0n
    throw error
  }
}

function swapWithin(options: SwapToRatioOptions, zeroForOne: boolean, amount: bigint, sqrtPriceLimitX96?: bigint) {
  const available = zeroForOne ? options.amount0 : options.amount1
  const { amountIn, amountOut, sqrtPriceX96After } = swapThroughTicks({
    ...options,
    amountSpecified: amount < available ? amount : available,
    zeroForOne,
    ...(sqrtPriceLimitX96 === undefined ? {} : { sqrtPriceLimitX96 }),
  })
  const amount0 = zeroForOne ? options.amount0 - amountIn : options.amount0 + amountOut
  const amount1 = zeroForOne ? options.amount1 + amountOut : options.amount1 - amountIn
  return { amountIn, amountOut, sqrtPriceX96After, amount0, amount1 }
}

function leavesSurplus(options: SwapToRatioOptions, zeroForOne: boolean, amount: bigint): boolean {
  // The limit spares the walk beyond the range, where nothing is in surplus: it is never reached by an amount that leaves one.
  const { amount0, amount1, sqrtPriceX96After } = swapWithin(options, zeroForOne, amount, farEdge(options, zeroForOne))
  const hasSurplus = zeroForOne ? hasSurplus0 : hasSurplus1
  return hasSurplus(amount0, amount1, sqrtPriceX96After, options)
}

/** Beyond the far edge of the range the position takes none of the token bought: no swap should go farther. */
function farEdge(range: Range, zeroForOne: boolean): bigint {
  if (zeroForOne) return range.sqrtLowerX96 > MIN_SQRT_PRICE ? range.sqrtLowerX96 : MIN_SQRT_PRICE + 1n
  return range.sqrtUpperX96 < MAX_SQRT_PRICE ? range.sqrtUpperX96 : MAX_SQRT_PRICE - 1n
}

function isAtLimit(options: SwapToRatioOptions, zeroForOne: boolean): boolean {
  const edge = farEdge(options, zeroForOne)
  return zeroForOne ? options.sqrtPriceX96 <= edge : options.sqrtPriceX96 >= edge
}

function hasSurplus0(amount0: bigint, amount1: bigint, sqrtPriceX96: bigint, range: Range): boolean {
  return sqrtPriceX96 >= range.sqrtUpperX96
    ? amount0 > 0n
    : compareLiquidity(amount0, amount1, sqrtPriceX96, range) > 0n
}

function hasSurplus1(amount0: bigint, amount1: bigint, sqrtPriceX96: bigint, range: Range): boolean {
  return sqrtPriceX96 <= range.sqrtLowerX96
    ? amount1 > 0n
    : compareLiquidity(amount0, amount1, sqrtPriceX96, range) < 0n
}

/** Sign of (liquidity amount0 could buy) - (liquidity amount1 could buy), unrounded; below the range token0 is never too much. */
function compareLiquidity(amount0: bigint, amount1: bigint, sqrtPriceX96: bigint, range: Range): bigint {
  const aboveLower = sqrtPriceX96 - range.sqrtLowerX96
  const belowUpper = range.sqrtUpperX96 - sqrtPriceX96
  if (aboveLower <= 0n) return -amount1
  if (belowUpper <= 0n) return amount0
  return amount0 * sqrtPriceX96 * range.sqrtUpperX96 * aboveLower - amount1 * Q192 * belowUpper
}

/**
 * A swap through a pool's initialised ticks, without touching the pool: `amountSpecified` is what goes in, or with `exactIn: false` what
 * comes out.
 * With `tickSpacing` the swap stops where the contracts' bitmap words end, as they do, and equals theirs to the unit; without, it
 * takes each stretch between ticks in one step and may differ from theirs by a unit per word crossed.
 * Ends early, with less swapped, at the price limit or where the liquidity ends. Source: v3 whitepaper 6.2.3, 6.3; v3-core `swap`.
 * @throws LpMathError `TICKS_UNSORTED`, `LIQUIDITY_OUT_OF_RANGE` when the ticks do not fit the liquidity,
 * `SQRT_PRICE_LIMIT_PASSED`, `FEE_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function swapThroughTicks(options: SwapOptions): SwapResult {
  return walkSwap(options, unattended)
}

const unattended = { step: () => {}, cross: () => {} }
