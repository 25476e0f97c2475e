import { bitLength } from '../integers/bit-length.ts'
import { Q192 } from '../integers/fixed-point.ts'
import { requireSqrtPrice } from '../sqrt-price/require-arguments.ts'
import { tenToDecimals } from './ten-to-decimals.ts'

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
