import { logReturns } from './log-returns.ts'

/**
 * The standard error of `ewmaSigma` for the same closes, as a fraction of it: half of that of the variance, sqrt((k - 1)/n), where k is
 * the kurtosis of the weighted returns, at least the normal one, and n what so many unequal weights count for. Returns are taken for
 * independent. Source: the variance of a mean of squares, and the first term of the root's series.
 * @throws LpMathError `SERIES_TOO_SHORT` below 2 closes, `PRICE_OUT_OF_RANGE`.
 */
export function ewmaRelativeError(closes: ArrayLike<number>, { barSeconds }: { readonly barSeconds: number }): number {
  const decay = 0.94 ** (barSeconds / 86_400)
  let [weights, squares, seconds, fourths] = [0, 0, 0, 0]
  for (const change of logReturns(closes, 2)) {
    weights = weights * decay + 1
    squares = squares * decay ** 2 + 1
    seconds = seconds * decay + change ** 2
    fourths = fourths * decay + change ** 4
  }
  if (seconds === 0) return 0
  const kurtosis = (fourths * weights) / seconds ** 2
  return Math.sqrt((Math.max(kurtosis - 1, 2) * squares) / weights ** 2) / 2
}
