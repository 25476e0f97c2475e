import type { Bars } from '../bars/bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import type { EquityPoint } from './strategy-result.ts'

/** The equity column seen every 24 hours and at its end, its Sharpe ratio and its deepest fall below `startValueUsd` or a later high. */
export function equityMetrics(bars: Bars, equity: Float64Array, startValueUsd: number): EquityMetrics {
  const last = equity.length - 1
  const barsPerDay = Math.max(1, Math.round(86_400 / bars.barSeconds))
  const isDaily = Math.abs(barsPerDay * bars.barSeconds - 86_400) < 1e-6
  const point = (bar: number) => ({ at: (bars.startsAt[bar] ?? 0) + bars.barSeconds, valueUsd: equity[bar] ?? 0 })
  const days = Array.from({ length: Math.floor(last / barsPerDay) + 1 }, (_, day) => point(day * barsPerDay))
  return {
    equity: last % barsPerDay === 0 ? days : [...days, point(last)],
    sharpeRatio: isDaily ? sharpeRatio(days.map(({ valueUsd }) => valueUsd)) : null,
    maxDrawdownPct: maxDrawdown(equity, startValueUsd) * 100,
  }
}

type EquityMetrics = {
  readonly equity: readonly EquityPoint[]
  readonly sharpeRatio: number | null
  readonly maxDrawdownPct: number
}

/**
 * The deepest fall of values below the highest before them, as a fraction of that: 0.2 is a loss of a fifth. `startValue` is a high
 * before the first of them; the first itself by default.
 * @throws LpMathError `VALUE_OUT_OF_RANGE` unless all of them are finite and `startValue` is above 0.
 */
export function maxDrawdown(values: ArrayLike<number>, startValue = values[0] ?? 1): number {
  if (!(startValue > 0)) throw new LpMathError('VALUE_OUT_OF_RANGE', 'startValue is above 0.')
  let highest = startValue
  let deepest = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (!Number.isFinite(value)) throw new LpMathError('VALUE_OUT_OF_RANGE', `values[${index}] is finite.`)
    if (value > highest) highest = value
    const fall = (highest - value) / highest
    if (fall > deepest) deepest = fall
  }
  return deepest
}

/**
 * Sharpe ratio of a year from values a day apart: mean over standard deviation (n - 1) of the daily returns, times sqrt 365, with a
 * risk-free rate of 0. `null` below 14 returns, where a value is not above 0, and where returns vary by less than a hundredth of their mean, a
 * ratio above 1,911: of a price that stands still nothing is risked, and the ratio says nothing.
 */
export function sharpeRatio(dailyValues: readonly number[]): number | null {
  const returns = dailyValues.slice(1).map((value, day) => value / (dailyValues[day] ?? Number.NaN) - 1)
  if (returns.length < FEWEST_RETURNS || dailyValues.some((value) => !(value > 0))) return null
  const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
  const variance = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (returns.length - 1)
  const deviation = Math.sqrt(variance)
  // Below the rounding of the values themselves nothing varies.
  return deviation > 1e-14 && deviation > Math.abs(mean) / 100 ? (mean / deviation) * Math.sqrt(365) : null
}

const FEWEST_RETURNS = 14
