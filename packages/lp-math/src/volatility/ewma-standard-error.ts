import { LpMathError } from '../lp-math-error.ts'
import { barsPerYear, logReturns } from './sigma.ts'

/**
 * The standard error of `ewmaSigma` for the same closes, annual and a fraction, in three parts of which the greatest counts.
 *
 * What scatters: half of the relative error of the variance, sqrt((k - 1)/m), where k is the kurtosis of the weighted returns, at least
 * the normal one, and m = (sum w)^2 / sum w^2 what weights of 0.94 a day count for (Kish, "Survey Sampling", 1965, 11.7). How few
 * traded: (1 + 1/n^2)/sqrt(2n) of the volatility, n being the same over the weights of bars with a trade alone, as a price that nobody
 * traded at was not seen to stand still. That is the first term of the deviation of a root of a chi-square over n, and what makes the
 * truth lie within it in 68 of 100 samples of 1 and of 2 too. What no trade shows: a price that moves by less than the fee pays nobody to
 * follow it, so each bar may hide a move anywhere within `leastMove` to either side, of a mean square of leastMove^2/3; of the volatility
 * of such moves the same part is in doubt, so that closes that never moved are no certain 0. Returns are taken for independent.
 *
 * @throws LpMathError `SERIES_TOO_SHORT` below 2 closes, or where none after the first was traded at; `PRICE_OUT_OF_RANGE`,
 * `YEARS_OUT_OF_RANGE`.
 */
export function ewmaStandardError(
  closes: ArrayLike<number>,
  { barSeconds, traded, leastMove }: EwmaErrorOptions,
): number {
  const perYear = barsPerYear(barSeconds)
  const decay = 0.94 ** (barSeconds / 86_400)
  const all: Weights = { sum: 0, squares: 0 }
  const ofTraded: Weights = { sum: 0, squares: 0 }
  let [seconds, fourths] = [0, 0]
  for (const [index, change] of logReturns(closes, 2).entries()) {
    add(all, decay, 1)
    add(ofTraded, decay, traded[index + 1] === true ? 1 : 0)
    seconds = seconds * decay + change ** 2
    fourths = fourths * decay + change ** 4
  }
  if (ofTraded.sum === 0) throw new LpMathError('SERIES_TOO_SHORT', 'No close after the first was traded at.')
  const sigma = Math.sqrt((seconds / all.sum) * perYear)
  const kurtosis = seconds === 0 ? 3 : (fourths * all.sum) / seconds ** 2
  const ofScatter = (sigma * Math.sqrt(Math.max(kurtosis - 1, 2) / countOf(all))) / 2
  const hidden = leastMove * Math.sqrt(perYear / 3)
  const count = countOf(ofTraded)
  return Math.max(ofScatter, (Math.max(sigma, hidden) * (1 + 1 / count ** 2)) / Math.sqrt(2 * count))
}

export type EwmaErrorOptions = {
  readonly barSeconds: number
  /** Of each close whether its bar saw a trade. */
  readonly traded: ArrayLike<boolean>
  /** What the price must move by before somebody trades, as a fraction: the fee of the pool. */
  readonly leastMove: number
}

type Weights = { sum: number; squares: number }

function add(weights: Weights, decay: number, weight: number): void {
  weights.sum = weights.sum * decay + weight
  weights.squares = weights.squares * decay ** 2 + weight
}

function countOf({ sum, squares }: Weights): number {
  return sum ** 2 / squares
}
