import type { Bars } from '../bars/bars.ts'
import { sharpeRatio } from './sharpe-ratio.ts'
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
    maxDrawdownPct: deepestFall(equity, startValueUsd) * 100,
  }
}

export type EquityMetrics = {
  readonly equity: readonly EquityPoint[]
  readonly sharpeRatio: number | null
  readonly maxDrawdownPct: number
}

function deepestFall(values: Float64Array, startValue: number): number {
  let highest = startValue
  let deepest = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0
    if (value > highest) highest = value
    const fall = (highest - value) / highest
    if (fall > deepest) deepest = fall
  }
  return deepest
}
