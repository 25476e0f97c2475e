import { priceFan } from '@svc/lp-math'
import type { SeriesOption } from 'echarts'
import { lineLabel } from '../frame.ts'
import type { Palette } from '../palette.ts'
import type { RangeResult } from './range-surroundings.ts'
import type { PastPrice } from './range-surroundings.ts'

/** Where the price may go until the horizon: the prices that it stays below with 5, 25, 50, 75 and 95 %, day by day. */
export function fanOf({ currentPrice: price, volatility }: RangeResult, horizonDays: number): Fan {
  const model = { price, sigma: volatility.annualized, drift: 0, years: horizonDays / 365 }
  const { p5, p25, p50, p75, p95 } = priceFan(model, fanSteps)
  return Array.from(p50, (median, step) => ({
    day: (horizonDays * step) / fanSteps,
    prices: [p5[step] ?? median, p25[step] ?? median, median, p75[step] ?? median, p95[step] ?? median],
  }))
}

const fanSteps = 60

export type Fan = readonly {
  readonly day: number
  readonly prices: readonly [number, number, number, number, number]
}[]

export const bandNames = { wide: '5 to 95 %', narrow: '25 to 75 %', median: 'median' }

/** The price until now, as far back as the horizon lies ahead: no more than half of the width; too little of it is no line. */
export function pastOf({ past = [] }: RangeResult, horizonDays: number): readonly PastPrice[] {
  const shown = past.filter(({ days }) => days >= -horizonDays)
  return shown.length > 1 ? shown : []
}

export const pastName = 'price until now'

/** The price left of now, and the line that parts the past from what may come. */
export function nowSeries(past: readonly PastPrice[], palette: Palette): SeriesOption[] {
  if (past.length === 0) return []
  return [
    {
      ...quiet,
      name: pastName,
      data: past.map(({ days, price }) => [days, price]),
      lineStyle: { color: palette.ink, width: 1.5 },
      itemStyle: { color: palette.ink },
      markLine: {
        silent: true,
        symbol: 'none',
        lineStyle: { color: palette.faint, width: 1, type: 'solid' },
        label: { show: false },
        data: [{ xAxis: 0 }],
      },
    },
  ]
}

/** Bands are laid on one another: each line adds its distance from the one below. */
export function fanSeries(fan: Fan, { optimalRange }: RangeResult, palette: Palette): SeriesOption[] {
  const band = (name: string, from: 0 | 1 | 2 | 3, opacity: number): SeriesOption => ({
    ...quiet,
    name,
    stack: 'fan',
    data: fan.map(({ day, prices }) => [day, prices[(from + 1) as 1 | 2 | 3 | 4] - prices[from]]),
    areaStyle: { color: palette.fan, opacity },
    itemStyle: { color: palette.fan, opacity: opacity * 1.4 },
  })
  const upper = optimalRange.priceUpper ?? Number.MAX_VALUE
  return [
    { ...quiet, name: 'floor', stack: 'fan', data: fan.map(({ day, prices }) => [day, prices[0]]) },
    band(bandNames.wide, 0, 0.2),
    band(bandNames.narrow, 1, 0.42),
    band(bandNames.narrow, 2, 0.42),
    band(bandNames.wide, 3, 0.2),
    {
      ...quiet,
      name: bandNames.median,
      data: fan.map(({ day, prices }) => [day, prices[2]]),
      lineStyle: { color: palette.fan, width: 2 },
      itemStyle: { color: palette.fan },
      markLine: {
        silent: true,
        symbol: 'none',
        lineStyle: { color: palette.best, width: 1.5, type: 'dashed' },
        label: { ...lineLabel(palette), color: palette.best, formatter: '{b}' },
        data: [
          ...(optimalRange.priceLower === null ? [] : [{ name: 'chosen: lower', yAxis: optimalRange.priceLower }]),
          ...(upper < Number.MAX_VALUE ? [{ name: 'chosen: upper', yAxis: upper }] : []),
        ],
      },
    },
  ]
}

const quiet = { type: 'line' as const, silent: true, symbol: 'none', lineStyle: { width: 0 } }
