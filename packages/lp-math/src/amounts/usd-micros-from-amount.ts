import { divRoundingUp } from '../integers/div-rounding-up.ts'
import { parsePositiveDecimal } from '../integers/parse-positive-decimal.ts'
import { tenToDecimals } from '../prices/ten-to-decimals.ts'
import { requireAmount } from '../sqrt-price/require-arguments.ts'

/**
 * Worth of an amount (smallest units) in millionths of a dollar, rounded up so that a spend is never counted too low.
 * `priceUsd` is dollars per whole token, a number or a plain decimal string, taken exactly.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `DECIMALS_OUT_OF_RANGE`, `PRICE_MALFORMED`, `PRICE_OUT_OF_RANGE`.
 */
export function usdMicrosFromAmount(amount: bigint, decimals: number, priceUsd: number | string): bigint {
  requireAmount(amount)
  const { numerator, denominator } = parsePositiveDecimal(priceUsd)
  return divRoundingUp(amount * numerator * 1_000_000n, denominator * tenToDecimals(decimals))
}
