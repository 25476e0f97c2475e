import { Q192 } from '../integers/fixed-point.ts'
import { rationalToNumber } from '../integers/rational-to-number.ts'
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
