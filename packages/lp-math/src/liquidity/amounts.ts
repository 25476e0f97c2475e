import { MAX_UINT128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import { getAmount0Delta, getAmount1Delta, requireAmount, requireSqrtPrice } from '../sqrt-price/sqrt-price.ts'

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
