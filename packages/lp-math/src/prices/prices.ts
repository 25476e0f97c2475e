import {
  invertTicks,
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  type TickRange,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
} from '../ticks/ticks.ts'
import type { Amounts } from '../liquidity/liquidity.ts'
import { LpMathError } from '../lp-math-error.ts'
import { bitLength, integerSqrt, Q192 } from '../integers/integers.ts'
import { requireSqrtPrice } from '../sqrt-price/sqrt-price.ts'

/**
 * Price of a pool in whole tokens, token1 per token0, as the double nearest to the exact value.
 * (sqrtPriceX96 / 2^96)^2 * 10^(decimals0 - decimals1). Source: v3 whitepaper eq. 6.4.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function priceFromSqrtPrice(sqrtPriceX96: bigint, decimals0: number, decimals1: number): number {
  requireSqrtPrice(sqrtPriceX96)
  return rationalToNumber(sqrtPriceX96 * sqrtPriceX96 * tenToDecimals(decimals0), Q192 * tenToDecimals(decimals1))
}

/**
 * The double nearest to `numerator / denominator`, both above 0, whatever their size.
 * Correct to the last bit: the quotient keeps at least 60 bits and a sticky bit before the one rounding.
 * The quotient must lie within 1e-300 and 1e300.
 */
export function rationalToNumber(numerator: bigint, denominator: bigint): number {
  const shift = 68 - (bitLength(numerator) - bitLength(denominator))
  const scaledNumerator = shift > 0 ? numerator << BigInt(shift) : numerator
  const scaledDenominator = shift < 0 ? denominator << BigInt(-shift) : denominator
  const quotient = scaledNumerator / scaledDenominator
  const sticky = quotient * scaledDenominator === scaledNumerator ? 0n : 1n
  // Two factors, because 2 ** -shift alone may be too small for a double where the product is not.
  const half = Math.trunc(shift / 2)
  return Number((quotient << 1n) | sticky) * 2 ** -(half + 1) * 2 ** -(shift - half)
}

/** Ten to the power of a token's decimals. Throws LpMathError `DECIMALS_OUT_OF_RANGE` unless they are an integer within 0 and 255. */
export function tenToDecimals(decimals: number): bigint {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
    throw new LpMathError('DECIMALS_OUT_OF_RANGE', 'The decimals of a token are an integer within 0 and 255.')
  }
  return 10n ** BigInt(decimals)
}

/** Floor of the sqrt price (Q64.96) of a price in whole tokens, token1 per token0, without regard to the bounds of a pool. */
export function floorSqrtPrice(price: number | string, decimals0: number, decimals1: number): bigint {
  const { numerator, denominator } = parsePositiveDecimal(price)
  return integerSqrt(((numerator * tenToDecimals(decimals1)) << 192n) / (denominator * tenToDecimals(decimals0)))
}

/**
 * Price at a tick in whole tokens, token1 per token0, as the double nearest to the contracts' price there.
 * Rounding to a double may fall just below the tick: `tickFromPrice` of it is then one tick lower.
 * @throws LpMathError `TICK_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function priceFromTick(tick: number, decimals0: number, decimals1: number): number {
  return priceFromSqrtPrice(getSqrtPriceAtTick(tick), decimals0, decimals1)
}

/**
 * The greatest tick whose price is at most `price` (whole tokens, token1 per token0, number or plain decimal string), compared
 * exactly. A price above that of MAX_TICK is refused. Source: v3 whitepaper eq. 6.8.
 * @throws LpMathError `PRICE_MALFORMED`, `PRICE_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function tickFromPrice(price: number | string, decimals0: number, decimals1: number): number {
  // s^2 <= x holds for integers s exactly when s <= floor(sqrt(floor(x))): comparing roots loses nothing.
  const sqrtPriceX96 = floorSqrtPrice(price, decimals0, decimals1)
  if (sqrtPriceX96 === MAX_SQRT_PRICE) return MAX_TICK
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 > MAX_SQRT_PRICE) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'No tick has this price.')
  }
  return getTickAtSqrtPrice(sqrtPriceX96)
}

/**
 * Sqrt price (Q64.96, floor) at which `amount0` and `amount1` (smallest units) are worth the same: sqrt(amount1 / amount0) * 2^96.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` for an amount of 0 or less, or where no pool can stand.
 */
export function sqrtPriceFromAmounts({ amount0, amount1 }: Amounts): bigint {
  const sqrtPriceX96 = amount0 > 0n && amount1 > 0n ? integerSqrt((amount1 << 192n) / amount0) : 0n
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'No pool can have the price of these amounts.')
  }
  return sqrtPriceX96
}

/**
 * Sqrt price (Q64.96, floor) of a price in whole tokens, token1 per token0, given as a number or a plain decimal string.
 * @throws LpMathError `PRICE_MALFORMED`, `PRICE_OUT_OF_RANGE` where no pool can stand, `DECIMALS_OUT_OF_RANGE`.
 */
export function sqrtPriceFromPrice(price: number | string, decimals0: number, decimals1: number): bigint {
  const sqrtPriceX96 = floorSqrtPrice(price, decimals0, decimals1)
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'No pool can have this price.')
  }
  return sqrtPriceX96
}

/**
 * A range seen from the other order of the two tokens: prices become 1/price, ticks change sign, lower and upper change place.
 * A full range's 0 and Infinity turn into each other.
 */
export function invertRange(range: PriceRange): PriceRange {
  return { ...invertTicks(range), priceLower: 1 / range.priceUpper, priceUpper: 1 / range.priceLower }
}

/** Prices in whole tokens, token1 per token0 in the order the range is seen in. */
export type PriceRange = TickRange & { priceLower: number; priceUpper: number }

/**
 * Reads a positive price as an exact fraction: a finite number (its shortest decimal form is meant), or a plain decimal
 * string without sign, exponent or spaces, of at most 78 digits before and 120 after the point.
 * @throws LpMathError `PRICE_MALFORMED` for other text or a number that is not finite, `PRICE_OUT_OF_RANGE` for 0 or less.
 */
export function parsePositiveDecimal(value: number | string): Fraction {
  const match = typeof value === 'number' ? NUMBER_FORM.exec(String(value)) : DECIMAL_FORM.exec(value)
  if (match === null) throw malformed(value)
  const [, whole = '', decimals = '', exponent = '0'] = match
  const digits = BigInt(whole + decimals)
  if (digits === 0n) throw outOfRange()
  const scale = Number(exponent) - decimals.length
  return scale >= 0
    ? { numerator: digits * 10n ** BigInt(scale), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-scale) }
}

type Fraction = { numerator: bigint; denominator: bigint }

const NUMBER_FORM = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/
const DECIMAL_FORM = /^(0|[1-9]\d{0,77})(?:\.(\d{1,120}))?$/

function malformed(value: number | string): LpMathError {
  if (typeof value === 'number' && value < 0) return outOfRange()
  return new LpMathError('PRICE_MALFORMED', 'A price is a finite number or a plain decimal string such as "1234.5".')
}

function outOfRange(): LpMathError {
  return new LpMathError('PRICE_OUT_OF_RANGE', 'A price is greater than 0.')
}
