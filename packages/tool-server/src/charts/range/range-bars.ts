import type { SeriesOption, XAXisComponentOption, YAXisComponentOption } from 'echarts'
import { lineLabel } from '../frame.ts'
import type { Palette } from '../palette.ts'
import type { RangeResult } from './range-surroundings.ts'
import type { DepthBand } from './range-surroundings.ts'

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
