import { integerSqrt } from '../integers/integer-sqrt.ts'
import { parsePositiveDecimal } from '../integers/parse-positive-decimal.ts'
import { tenToDecimals } from './ten-to-decimals.ts'

/** Floor of the sqrt price (Q64.96) of a price in whole tokens, token1 per token0, without regard to the bounds of a pool. */
export function floorSqrtPrice(price: number | string, decimals0: number, decimals1: number): bigint {
  const { numerator, denominator } = parsePositiveDecimal(price)
  return integerSqrt(((numerator * tenToDecimals(decimals1)) << 192n) / (denominator * tenToDecimals(decimals0)))
}
