import { LpMathError } from '../lp-math-error.ts'
import { divRoundingUp, MAX_UINT128, MAX_UINT160, MAX_UINT256, Q96 } from '../integers/integers.ts'

/**
 * Amount of token0 (its smallest units) between two sqrt prices (Q64.96, either order) for a liquidity.
 * L * (1/sqrtLower - 1/sqrtUpper). Source: v3 whitepaper eq. 6.16; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` or `LIQUIDITY_OUT_OF_RANGE`.
 */
export function getAmount0Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  roundUp: boolean,
): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireLiquidity(liquidity)
  const product = (liquidity << 96n) * (upper - lower)
  return roundUp ? divRoundingUp(divRoundingUp(product, upper), lower) : product / upper / lower
}

/**
 * Amount of token1 (its smallest units) between two sqrt prices (Q64.96, either order) for a liquidity.
 * L * (sqrtUpper - sqrtLower). Source: v3 whitepaper eq. 6.14; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` or `LIQUIDITY_OUT_OF_RANGE`.
 */
export function getAmount1Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  roundUp: boolean,
): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireLiquidity(liquidity)
  const product = liquidity * (upper - lower)
  return roundUp ? divRoundingUp(product, Q96) : product >> 96n
}

/** Sqrt price after token0 enters the pool, rounded up (v3-core getNextSqrtPriceFromAmount0RoundingUp, add). */
export function afterToken0In(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96
  const numerator = liquidity << 96n
  const denominator = numerator + amount * sqrtPriceX96
  // Beyond 256 bits the contracts change to a coarser formula: followed, so as to agree with them there too.
  return denominator <= MAX_UINT256
    ? divRoundingUp(numerator * sqrtPriceX96, denominator)
    : divRoundingUp(numerator, numerator / sqrtPriceX96 + amount)
}

/** Sqrt price after token0 leaves the pool, rounded up (the same, remove). */
export function afterToken0Out(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return sqrtPriceX96
  const numerator = liquidity << 96n
  const product = amount * sqrtPriceX96
  if (numerator <= product) throw notEnough()
  return requireUint160(divRoundingUp(numerator * sqrtPriceX96, numerator - product))
}

/** Sqrt price after token1 enters the pool, rounded down (v3-core getNextSqrtPriceFromAmount1RoundingDown, add). */
export function afterToken1In(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  return requireUint160(sqrtPriceX96 + (amount << 96n) / liquidity)
}

/** Sqrt price after token1 leaves the pool, rounded down (the same, remove). */
export function afterToken1Out(sqrtPriceX96: bigint, liquidity: bigint, amount: bigint): bigint {
  const drop = divRoundingUp(amount << 96n, liquidity)
  if (sqrtPriceX96 <= drop) throw notEnough()
  return sqrtPriceX96 - drop
}

/** Refuses a liquidity that does not fit uint128. */
export function requireLiquidity(liquidity: bigint): void {
  if (liquidity < 0n || liquidity > MAX_UINT128) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'Liquidity is at least 0 and fits 128 bits.')
  }
}

/** Refuses a negative amount. */
export function requireAmount(amount: bigint): void {
  if (amount < 0n) throw new LpMathError('AMOUNT_NEGATIVE', 'An amount is at least 0.')
}

/** Refuses a sqrt price of 0 or less. */
export function requireSqrtPrice(sqrtPriceX96: bigint): void {
  if (sqrtPriceX96 <= 0n) throw new LpMathError('SQRT_PRICE_OUT_OF_RANGE', 'A sqrt price is greater than 0.')
}

function requireUint160(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 > MAX_UINT160) {
    throw new LpMathError('SQRT_PRICE_OUT_OF_RANGE', 'The amount moves the price beyond 160 bits.')
  }
  return sqrtPriceX96
}

function notEnough(): LpMathError {
  return new LpMathError('RESERVES_INSUFFICIENT', 'The liquidity does not hold this amount.')
}

/**
 * Sqrt price (Q64.96) after an amount, fee already taken off, was paid into one liquidity segment; never past the exact price.
 * Source: v3 whitepaper eq. 6.13, 6.15; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE` (also for 0), `AMOUNT_NEGATIVE`.
 */
export function getNextSqrtPriceFromInput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountIn: bigint,
  zeroForOne: boolean,
): bigint {
  requireSqrtPrice(sqrtPriceX96)
  requireLiquidity(liquidity)
  requireAmount(amountIn)
  if (liquidity === 0n) throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'No liquidity: no amount moves the price.')
  return zeroForOne
    ? afterToken0In(sqrtPriceX96, liquidity, amountIn)
    : afterToken1In(sqrtPriceX96, liquidity, amountIn)
}

/**
 * Sqrt price (Q64.96) after an amount was taken out of one liquidity segment; always at least at the exact price.
 * Source: v3 whitepaper eq. 6.13, 6.15; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `RESERVES_INSUFFICIENT` when the segment does not hold the amount; `SQRT_PRICE_OUT_OF_RANGE`,
 * `LIQUIDITY_OUT_OF_RANGE` (also for 0), `AMOUNT_NEGATIVE`.
 */
export function getNextSqrtPriceFromOutput(
  sqrtPriceX96: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint {
  requireSqrtPrice(sqrtPriceX96)
  requireLiquidity(liquidity)
  requireAmount(amountOut)
  if (liquidity === 0n) throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'No liquidity: no amount moves the price.')
  return zeroForOne
    ? afterToken1Out(sqrtPriceX96, liquidity, amountOut)
    : afterToken0Out(sqrtPriceX96, liquidity, amountOut)
}
