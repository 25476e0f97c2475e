import { barsPerYear } from './bars-per-year.ts'
import { logReturns } from './log-returns.ts'

/**
 * Annual volatility, as a fraction, from the closes of bars of one length, oldest first: squared log returns weighted by 0.94 a day of
 * age, whatever the length of a bar, with weights that add up to 1 however short the series is. A mean is not taken out.
 * Source: RiskMetrics Technical Document (J.P. Morgan, 1996), section 5.2.
 * @throws LpMathError `SERIES_TOO_SHORT` below 2 closes, `PRICE_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function ewmaSigma(closes: ArrayLike<number>, { barSeconds }: { readonly barSeconds: number }): number {
  const perYear = barsPerYear(barSeconds)
  const decay = DECAY_OF_DAY ** (barSeconds / 86_400)
  let [sum, weight] = [0, 0]
  for (const logReturn of logReturns(closes, 2)) {
    sum = decay * sum + logReturn * logReturn
    weight = decay * weight + 1
  }
  return Math.sqrt((sum / weight) * perYear)
}

const DECAY_OF_DAY = 0.94
