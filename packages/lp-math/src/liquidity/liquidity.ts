import { MAX_UINT128, integerSqrt } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import { getAmount0Delta, getAmount1Delta, requireAmount, requireSqrtPrice } from '../sqrt-price/sqrt-price.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/ticks.ts'

/**
 * Liquidity a mint gives for at most these amounts in the range A to B (sqrt prices Q64.96, either order) at the pool's price.
 * To the wei what v3's NonfungiblePositionManager and v4's periphery library compute, reverts included: in range, both sides
 * must fit 128 bits although only the smaller counts. Source: LiquidityAmounts of v3-periphery and v4-periphery.
 * @throws LpMathError `RANGE_EMPTY`, `LIQUIDITY_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`.
 */
export function getLiquidityForAmounts(
  sqrtPriceX96: bigint,
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  amount0: bigint,
  amount1: bigint,
): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  if (sqrtPriceX96 <= lower) return getLiquidityForAmount0(lower, upper, amount0)
  if (sqrtPriceX96 >= upper) return getLiquidityForAmount1(lower, upper, amount1)
  const liquidity0 = getLiquidityForAmount0(sqrtPriceX96, upper, amount0)
  const liquidity1 = getLiquidityForAmount1(lower, sqrtPriceX96, amount1)
  return liquidity0 < liquidity1 ? liquidity0 : liquidity1
}

/**
 * Liquidity that `amount0` buys between two sqrt prices (Q64.96, either order), as the periphery contracts of v3 and v4 round it.
 * amount0 * (sqrtUpper * sqrtLower) / (sqrtUpper - sqrtLower). Source: v3 whitepaper eq. 6.30 solved for L; LiquidityAmounts.
 * @throws LpMathError `RANGE_EMPTY` for equal prices, `LIQUIDITY_OUT_OF_RANGE` above 128 bits, `AMOUNT_NEGATIVE`.
 */
export function getLiquidityForAmount0(sqrtPriceAX96: bigint, sqrtPriceBX96: bigint, amount0: bigint): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireAmount(amount0)
  if (lower === upper) throw new LpMathError('RANGE_EMPTY', 'The two prices of a range differ.')
  // The contracts round the product of the prices first: one step less exact than the formula, and binding.
  const liquidity = (amount0 * ((lower * upper) >> 96n)) / (upper - lower)
  if (liquidity > MAX_UINT128) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'The amount buys more liquidity than 128 bits hold.')
  }
  return liquidity
}

/**
 * Liquidity that `amount1` buys between two sqrt prices (Q64.96, either order), as the periphery contracts of v3 and v4 round it.
 * amount1 / (sqrtUpper - sqrtLower). Source: v3 whitepaper eq. 6.29 solved for L; LiquidityAmounts.
 * @throws LpMathError `RANGE_EMPTY` for equal prices, `LIQUIDITY_OUT_OF_RANGE` above 128 bits, `AMOUNT_NEGATIVE`.
 */
export function getLiquidityForAmount1(sqrtPriceAX96: bigint, sqrtPriceBX96: bigint, amount1: bigint): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireAmount(amount1)
  if (lower === upper) throw new LpMathError('RANGE_EMPTY', 'The two prices of a range differ.')
  const liquidity = (amount1 << 96n) / (upper - lower)
  if (liquidity > MAX_UINT128) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'The amount buys more liquidity than 128 bits hold.')
  }
  return liquidity
}

/**
 * Amounts (smallest units) a liquidity stands for in the range A to B (sqrt prices Q64.96, either order) at the pool's price:
 * rounded up they are what a mint pays, rounded down what a burn gives, to the wei.
 * Source: v3 whitepaper eq. 6.29, 6.30; `_modifyPosition` of v3-core, `modifyLiquidity` of v4-core.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` or `LIQUIDITY_OUT_OF_RANGE`.
 */
export function getAmountsForLiquidity(
  sqrtPriceX96: bigint,
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  roundUp: boolean,
): Amounts {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  const inside = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96
  return {
    amount0: getAmount0Delta(inside, upper, liquidity, roundUp),
    amount1: getAmount1Delta(lower, inside, liquidity, roundUp),
  }
}

/** Amounts of the two tokens of a pool, in smallest units. */
export type Amounts = { amount0: bigint; amount1: bigint }

/**
 * The sqrt prices (Q64.96) at which the price itself lies `slippageBps` below and above the pool's, kept within what a swap can reach.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE` unless slippageBps is an integer within 0 and 10000.
 */
export function sqrtPricesAfterSlippage(sqrtPriceX96: bigint, slippageBps: number): { lower: bigint; upper: bigint } {
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > 10_000) {
    throw new LpMathError(
      'SLIPPAGE_OUT_OF_RANGE',
      'A slippage is an integer number of basis points within 0 and 10000.',
    )
  }
  const square = sqrtPriceX96 * sqrtPriceX96
  const lower = integerSqrt((square * BigInt(10_000 - slippageBps)) / 10_000n)
  const upper = integerSqrt((square * BigInt(10_000 + slippageBps)) / 10_000n)
  return {
    lower: lower <= MIN_SQRT_PRICE ? MIN_SQRT_PRICE + 1n : lower,
    upper: upper >= MAX_SQRT_PRICE ? MAX_SQRT_PRICE - 1n : upper,
  }
}

/** A position's liquidity in its range at the pool's price (sqrt prices Q64.96, A and B in either order), and the slippage allowed. */
export type SlippageOptions = {
  sqrtPriceX96: bigint
  sqrtPriceAX96: bigint
  sqrtPriceBX96: bigint
  liquidity: bigint
  slippageBps: number
}

/**
 * The `amount0Min` and `amount1Min` (smallest units) of a v3 mint or increase: what the liquidity takes at the worst price within
 * the slippage, token0 at the upper price and token1 at the lower. The liquidity is first cut to what the contract gives for
 * the desired amounts (its rounded-up amounts at the pool's price). Inside a narrow range they allow less movement than
 * slippageBps, never more, because the contract fixes the desired amounts and not the liquidity.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE`, `RANGE_EMPTY`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function mintAmountsWithSlippage(options: SlippageOptions): Amounts {
  const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = options
  const worst = sqrtPricesAfterSlippage(sqrtPriceX96, options.slippageBps)
  const desired = getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, options.liquidity, true)
  const liquidity = getLiquidityForAmounts(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, desired.amount0, desired.amount1)
  return {
    amount0: getAmountsForLiquidity(worst.upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount0,
    amount1: getAmountsForLiquidity(worst.lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount1,
  }
}

/**
 * The least a removal of this liquidity must give (smallest units), v3 and v4 alike: token0 at the upper and token1 at the lower
 * price within the slippage, rounded down. A removal at any price within the slippage gives at least these.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function burnAmountsWithSlippage(options: SlippageOptions): Amounts {
  const { sqrtPriceAX96, sqrtPriceBX96, liquidity } = options
  const worst = sqrtPricesAfterSlippage(options.sqrtPriceX96, options.slippageBps)
  return {
    amount0: getAmountsForLiquidity(worst.upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, false).amount0,
    amount1: getAmountsForLiquidity(worst.lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, false).amount1,
  }
}

/**
 * The `amount0Max` and `amount1Max` (smallest units) of a v4 mint or increase, which fixes the liquidity: what it costs at the
 * dearest price within the slippage, token0 at the lower price and token1 at the upper, rounded up.
 * A mint at any price within the slippage costs at most these.
 * @throws LpMathError `SLIPPAGE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function maxAmountsWithSlippage(options: SlippageOptions): Amounts {
  const { sqrtPriceAX96, sqrtPriceBX96, liquidity } = options
  const dearest = sqrtPricesAfterSlippage(options.sqrtPriceX96, options.slippageBps)
  return {
    amount0: getAmountsForLiquidity(dearest.lower, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount0,
    amount1: getAmountsForLiquidity(dearest.upper, sqrtPriceAX96, sqrtPriceBX96, liquidity, true).amount1,
  }
}
