import { type Room, fullWidth, wideFrom, type Look, type Part, lineLabel, type Palette } from '../frame.ts'
import type { SeriesOption, XAXisComponentOption, YAXisComponentOption } from 'echarts'
import type { RangeResult, DepthBand, PastPrice } from './range-surroundings.ts'
import { priceFan } from '@svc/lp-math'

/** Where the parts of the picture of so many ranges stand: in two rows and two columns, or all below each other. */
export function rangeParts({ width = fullWidth }: Look, ranges: number, room: Room): RangeParts {
  return width >= wideFrom ? inColumns(width, ranges, room) : stacked(width, ranges, room)
}

export type RangeParts = {
  readonly width: number
  readonly height: number
  readonly isNarrow: boolean
  readonly fan: Part
  readonly ranges: Part
  readonly frontier: Part
  readonly nets: Part
  readonly legend: LegendPlace
  readonly rangesLegend: LegendPlace
  readonly frontierLegend: LegendPlace
  readonly netsLegend: LegendPlace
}

type LegendPlace = { readonly left: number; readonly top: number; readonly width?: number }

/** Of one range among the net yields. */
const rowHeight = 18

function inColumns(width: number, ranges: number, { above, below, left }: Room): RangeParts {
  const fan = Math.round((width - 170) * 0.578)
  const right = 84 + fan + 56
  const part = (from: number, top: number, grid: Part['grid']) => ({ left: from, top, grid })
  const second = above + 344
  const lower = { top: second + 70, height: Math.max(170, rowHeight * ranges) }
  const labels = 96
  return {
    width,
    height: lower.top + lower.height + 50 + below,
    isNarrow: false,
    fan: part(left, above, { left: 84, top: above + 66, width: fan, height: 216 }),
    ranges: part(right, above, { left: right, top: above + 66, width: width - right - 30, height: 216 }),
    frontier: part(left, second, { ...lower, left: 84, width: fan }),
    nets: part(right, second, { ...lower, left: right + labels, width: width - right - labels - 30 }),
    legend: width < 900 ? { left: 84, top: above + 24 } : { left: 210, top: above },
    rangesLegend: { left: right, top: above + 22 },
    frontierLegend: { left: 84, top: second + 24, width: fan },
    netsLegend: { left: right, top: second + 24 },
  }
}

function stacked(width: number, ranges: number, { above, below, left }: Room): RangeParts {
  const part = (top: number, room: number, height: number, axis = 70): Part => ({
    left,
    top: above + top,
    grid: { left: axis, top: above + top + room, width: width - axis - 14, height },
  })
  const rows = Math.max(100, rowHeight * ranges)
  return {
    width,
    height: above + 1090 + rows + below,
    isNarrow: true,
    fan: part(0, 68, 210),
    ranges: part(340, 70, 190),
    nets: part(666, 54, rows, 140),
    frontier: part(666 + 54 + rows + 66, 78, 180),
    legend: { left: 70, top: above + 24 },
    rangesLegend: { left: 8, top: above + 340 + 22 },
    netsLegend: { left: 8, top: above + 666 + 24 },
    frontierLegend: { left: 8, top: above + 666 + 54 + rows + 66 + 24, width: width - 16 },
  }
}

/** One bar from the lower to the upper price for each range, the chosen one first. */
export function candidateSeries(result: RangeResult, scale: Scale, palette: Palette): SeriesOption[] {
  const ranges = endsOf(result, scale)
  const place = {
    type: 'bar' as const,
    stack: 'candidates',
    xAxisIndex: 1,
    yAxisIndex: 1,
    silent: true,
    z: 3,
    barWidth: '55%',
  }
  return [
    { ...place, name: 'below', data: ranges.map(({ lower }) => lower), itemStyle: { color: 'transparent' } },
    {
      ...place,
      name: 'range',
      data: ranges.map(({ lower, upper }, index) => ({
        value: upper - lower,
        itemStyle: { color: index === 0 ? palette.best : palette.faint, opacity: index === 0 ? 0.9 : 0.55 },
      })),
      markLine: {
        silent: true,
        symbol: 'none',
        lineStyle: { color: palette.ink, width: 1, type: 'solid' },
        label: { ...lineLabel(palette), color: palette.ink, formatter: 'price now' },
        data: [{ yAxis: result.currentPrice }],
      },
    },
    ...cutMarks(ranges, scale, palette),
  ]
}

type Ends = { readonly lower: number; readonly upper: number }

/** Of the chosen range and of each other, no farther than the scale. */
export function endsOf({ optimalRange, candidateRanges }: RangeResult, { min, max }: Scale): readonly Ends[] {
  return [optimalRange, ...candidateRanges].map(({ priceLower, priceUpper }) => ({
    lower: Math.min(Math.max(priceLower ?? 0, min), max),
    upper: priceUpper === null ? max : Math.max(Math.min(priceUpper, max), min),
  }))
}

/** Triangles where a range goes on beyond the scale. */
function cutMarks(ranges: readonly Ends[], { min, max }: Scale, palette: Palette): SeriesOption[] {
  const marks = (at: number, symbolRotate: number, isCut: (ends: Ends) => boolean): SeriesOption => ({
    type: 'scatter',
    name: cutName,
    xAxisIndex: 1,
    yAxisIndex: 1,
    silent: true,
    clip: false,
    symbol: 'triangle',
    symbolSize: [11, 7],
    symbolRotate,
    symbolOffset: [0, symbolRotate === 0 ? -6 : 6],
    itemStyle: { color: palette.faint },
    data: ranges.flatMap((ends, index) => (isCut(ends) ? [[index, at]] : [])),
  })
  return [marks(max, 0, ({ upper }) => upper === max), marks(min, 180, ({ lower }) => lower === min)]
}

export const cutName = 'goes on beyond the scale'

export type Scale = { readonly min: number; readonly max: number }

/** Axes of their own for the depth behind the ranges: bands of equal height over the scale of prices, and how much lies in each. */
export function depthAxes({ depth }: RangeResult): DepthAxes {
  if (depth === undefined) return { xAxis: [], yAxis: [] }
  const data = Array.from({ length: rows }, (_, row) => `${row}`)
  return {
    xAxis: [{ type: 'value', gridIndex: 1, show: false }],
    yAxis: [{ type: 'category', gridIndex: 1, show: false, data }],
  }
}

export type DepthAxes = { readonly xAxis: XAXisComponentOption[]; readonly yAxis: YAXisComponentOption[] }

/** How much liquidity the pool has at each price, as bars from the left behind those of the ranges. */
export function depthSeries({ depth }: RangeResult, { min, max }: Scale, palette: Palette): SeriesOption[] {
  if (depth === undefined) return []
  const height = (max - min) / rows
  return [
    {
      type: 'bar',
      name: depthName,
      xAxisIndex: 4,
      yAxisIndex: 4,
      silent: true,
      z: 1,
      barWidth: '100%',
      itemStyle: { color: palette.fan, opacity: 0.28 },
      data: Array.from({ length: rows }, (_, row) => depthAt(depth, min + row * height, min + (row + 1) * height)),
    },
  ]
}

export const depthName = 'liquidity of the pool'

const rows = 54

/** The mean of the bands over these prices; nothing where none is known. */
function depthAt(depth: readonly DepthBand[], from: number, to: number): number {
  const parts = depth.flatMap(({ priceLower, priceUpper, liquidity }) => {
    const width = Math.min(priceUpper, to) - Math.max(priceLower, from)
    return width > 0 ? [{ width, sum: width * liquidity }] : []
  })
  const width = parts.reduce((all, part) => all + part.width, 0)
  return width === 0 ? 0 : parts.reduce((all, part) => all + part.sum, 0) / width
}

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
