import { LpMathError } from '../lp-math-error.ts'

/**
 * Logarithms of each close over the one before.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` for a close that is not finite and positive, `SERIES_TOO_SHORT` below `least` closes.
 */
export function logReturns(closes: ArrayLike<number>, least: number): Float64Array {
  if (closes.length < least) throw new LpMathError('SERIES_TOO_SHORT', `closes has at least ${least} prices.`)
  const logs = Float64Array.from(closes, (close, index) => {
    if (close > 0 && close < Number.POSITIVE_INFINITY) return Math.log(close)
    throw new LpMathError('PRICE_OUT_OF_RANGE', `closes[${index}] is a finite, positive price.`)
  })
  return logs.subarray(1).map((log, index) => log - (logs[index] ?? log))
}
