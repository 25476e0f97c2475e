import { barsPerYear, logReturns } from '../volatility/volatility.ts'
import { requireHorizon, type LevelMemory, levelAhead, type LogForecast } from './level-ahead.ts'

/**
 * The volatility that the closes of the days ahead will show, annual and a fraction, from the closes of bars of one length, oldest
 * first: the root of their mean square, in the logarithm. Squares are taken together by days, or by seven bars where these are longer
 * than some hours, and each such sum is as unsure as its bars with a trade are few. `null` where the price did not move.
 * @throws LpMathError `SERIES_TOO_SHORT` below 2 closes, `PRICE_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function volatilityAhead(closes: ArrayLike<number>, options: VolatilityAheadOptions): LogForecast | null {
  const { barSeconds, horizonDays } = options
  requireHorizon(horizonDays)
  const perYear = barsPerYear(barSeconds)
  const spans = spansOf(logReturns(closes, 2), options)
  const mean = spans.reduce((sum, { square }) => sum + square, 0) / spans.length
  if (!(mean > 0)) return null
  const seen = spans.map(({ ageDays, square, count }) => ({
    ageDays,
    log: Math.log(Math.max(square, leastShare * mean)) - logChiSquareMean(count),
    noise: memory.dayShare + (fatTails * logChiSquareVariance(count)) / memory.usualVariance,
  }))
  const { location, scale, freedom } = levelAhead(seen, horizonDays, memory)
  const tradedShare = spans.reduce((sum, { count }) => sum + count, 0) / spans.reduce((sum, { bars }) => sum + bars, 0)
  const barsAhead = Math.max(1, (tradedShare * horizonDays * 86_400) / barSeconds)
  const variance = scale ** 2 + fatTails * logChiSquareVariance(barsAhead)
  return {
    location: (location + logChiSquareMean(barsAhead) + Math.log(perYear)) / 2,
    scale: Math.sqrt(variance) / 2,
    freedom,
  }
}

/** How long the bars of past closes are, and how many days ahead are asked about. */
export type VolatilityAheadOptions = {
  readonly barSeconds: number
  readonly horizonDays: number
  /** Of each close whether its bar saw a trade; each did where it is left out. */
  readonly traded?: ArrayLike<boolean>
}

/** Found on drawn pools and on the first years of two real ones: `docs/decisions/0046-forecast-intervals.md`. */
const memory: LevelMemory = {
  slowDays: 37.5,
  fastDays: 3.5,
  fastShare: 0.615,
  dayShare: 0.176,
  usualVariance: 0.376,
  usualCount: 12.5,
  freedom: 10,
  widening: 1,
  convexity: 1.6,
}

/** Squares of returns scatter by so much more than those of normal numbers. */
const fatTails = 1.16
const leastShare = 0.057
const leastBars = 7

type Span = {
  readonly ageDays: number
  /** Mean square of a bar. */
  readonly square: number
  readonly bars: number
  /** Bars with a trade, or at least one. */
  readonly count: number
}

/** Whole spans back from the last return. */
function spansOf(returns: Float64Array, { barSeconds, traded }: VolatilityAheadOptions): Span[] {
  const barDays = barSeconds / 86_400
  const wanted = Math.max(leastBars, Math.round(1 / barDays))
  const bars = Math.max(1, Math.min(wanted, Math.floor(returns.length / 2)))
  const spans = Array.from({ length: Math.floor(returns.length / bars) }, (_, span): Span => {
    const end = returns.length - span * bars
    const within = returns.subarray(end - bars, end)
    const sum = within.reduce((total, one) => total + one ** 2, 0)
    const count = within.filter((_one, index) => traded?.[end - bars + index + 1] ?? true).length
    return { ageDays: (span + 0.5) * bars * barDays, square: sum / bars, bars, count }
  })
  const moved = spans.filter(({ count }) => count > 0)
  return moved.length === 0 ? spans.map(({ ageDays, square, bars }) => ({ ageDays, square, bars, count: 1 })) : moved
}

/**
 * Mean and variance of the logarithm of a mean of `count` squares of standard normal numbers: digamma(count/2) - ln(count/2) and
 * trigamma(count/2). By recurrence to 8 and the asymptotic series beyond (Abramowitz and Stegun 6.3.18, 6.4.12), to 1e-8; `count` above 0.
 */
export function logChiSquareMean(count: number): number {
  const half = count / 2
  let [at, shift] = [half, 0]
  for (; at < 8; at += 1) shift -= 1 / at
  return shift + Math.log(at / half) - 1 / (2 * at) - 1 / (12 * at ** 2) + 1 / (120 * at ** 4) - 1 / (252 * at ** 6)
}

/** See {@link logChiSquareMean}. */
export function logChiSquareVariance(count: number): number {
  let [at, sum] = [count / 2, 0]
  for (; at < 8; at += 1) sum += 1 / at ** 2
  return sum + 1 / at + 1 / (2 * at ** 2) + 1 / (6 * at ** 3) - 1 / (30 * at ** 5) + 1 / (42 * at ** 7)
}
