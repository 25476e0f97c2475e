import { barsPerYear } from './bars-per-year.ts'
import { logReturns } from './log-returns.ts'

/**
 * Annual volatility, as a fraction, of the closes of bars of one length: the sample standard deviation (n - 1) of their log returns.
 * @throws LpMathError `SERIES_TOO_SHORT` below 3 closes, `PRICE_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function realisedSigma(closes: ArrayLike<number>, { barSeconds }: { readonly barSeconds: number }): number {
  const perYear = barsPerYear(barSeconds)
  const returns = logReturns(closes, 3)
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
  const squares = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  return Math.sqrt((squares / (returns.length - 1)) * perYear)
}
