import type { SeriesOption } from 'echarts'
import { axisLook, type AxesPart, legendFontSize, legendItems, niceScale, type Scale, type Palette } from '../frame.ts'
import { placeLabels, type Box, type Mark, type Place } from '../place-labels.ts'
import type { RangeParts } from './range-parts.ts'
import type { RangeYields } from '../../analysis/range/range-answer.ts'
import type { RangeResult } from './range-surroundings.ts'
import { percent, showNumber } from '../figures.ts'

/** Fees of each range against its loss; the chosen one with how far its fees may lie off, and with other volatilities. */
export function rangeFrontier(result: RangeResult, horizonDays: number, parts: RangeParts, palette: Palette): AxesPart {
  const scales = scalesOf(result)
  return {
    legend: {
      ...parts.frontierLegend,
      itemGap: 14,
      itemWidth: 14,
      itemHeight: 9,
      data: legendItems([
        { name: names.chosen, icon: 'diamond' },
        { name: names.fees, icon: verticalWhisker },
        { name: names.moved, icon: 'circle' },
        { name: names.others, icon: 'circle' },
      ]),
      textStyle: { color: palette.faint, fontSize: legendFontSize },
    },
    xAxis: {
      type: 'value',
      gridIndex: 2,
      ...scales.x,
      ...axisLook(`Expected impermanent loss, % in ${showNumber(horizonDays)} days`, palette),
      axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber },
      nameGap: 26,
    },
    yAxis: {
      type: 'value',
      gridIndex: 2,
      ...scales.y,
      ...axisLook('Fees, % a year', palette),
      axisLine: { show: true, onZero: false, lineStyle: { color: palette.faint } },
      axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber },
      nameGap: 58,
    },
    series: seriesOf(result, scales, parts.frontier.grid, palette),
  }
}

/** Where the points of the frontier and their labels stand: the chosen range first, then the other ranges, then the volatilities. */
export function frontierPoints(result: RangeResult, grid: Box): readonly Point[] {
  return placed(result, scalesOf(result), grid)
}

export type Point = Mark & {
  readonly kind: 'chosen' | 'other' | 'moved'
  readonly name: string
  /** Loss and fees. */
  readonly value: readonly [number, number]
  readonly place: Place
}

type Scales = { readonly x: Scale; readonly y: Scale }

const names = {
  chosen: 'chosen',
  fees: 'uncertainty of its fees',
  moved: 'chosen, at other volatilities',
  others: 'other ranges',
}

const verticalWhisker = 'path://M2,0H8V1H5.5V9H8V10H2V9H4.5V1H2Z'

const sizes = { chosen: 14, other: 9, moved: 6 }

function offOf({ projections }: RangeResult): number {
  return (projections.expectedFeeApr * projections.feeUncertaintyPct) / 100
}

function scalesOf(result: RangeResult): Scales {
  const { projections: chosen, candidateRanges, sensitivity } = result
  const all = [chosen, ...candidateRanges, ...sensitivity]
  return {
    x: niceScale(all.map(({ expectedIlPct }) => 1.05 * expectedIlPct)),
    y: niceScale([...all.map(({ expectedFeeApr }) => 1.1 * expectedFeeApr), chosen.expectedFeeApr + offOf(result)]),
  }
}

function placed(result: RangeResult, { x, y }: Scales, grid: Box): readonly Point[] {
  const { projections: chosen, candidateRanges, sensitivity } = result
  const across = (loss: number) => grid.left + (grid.width * (loss - x.min)) / (x.max - x.min)
  const down = (fees: number) => grid.top + (grid.height * (y.max - fees)) / (y.max - y.min)
  const pointOf = (kind: Point['kind'], name: string, one: RangeYields) => ({
    kind,
    name,
    value: [one.expectedIlPct, one.expectedFeeApr] as const,
    x: across(one.expectedIlPct),
    y: down(one.expectedFeeApr),
    size: sizes[kind],
    label: { width: Math.ceil(letterWidth * name.length), height: 14 },
    mustShow: kind === 'chosen' || name.startsWith('best held'),
  })
  const points = [
    pointOf('chosen', names.chosen, chosen),
    ...atOnePoint(candidateRanges).map((one) => pointOf('other', one.label, one)),
    ...sensitivity.map((one) => pointOf('moved', `at ${percent(one.annualized)}`, one)),
  ]
  const [from, to] = feeBar(result)
  const bar = { left: across(chosen.expectedIlPct) - 5, top: down(to), width: 10, height: down(from) - down(to) }
  const way = wayOf(result).map(([loss, fees]) => [across(loss), down(fees)] as const)
  const places = placeLabels(points, grid, [bar, ...dotsAlong(way)])
  return points.map((point, index) => Object.assign(point, { place: places[index] ?? null }))
}

/** Ranges with the same fees and loss, the best and the full one for example, are one point with the names of all. */
function atOnePoint(ranges: RangeResult['candidateRanges']): RangeResult['candidateRanges'] {
  const points = new Map<string, RangeResult['candidateRanges'][number]>()
  for (const range of ranges) {
    const at = `${range.expectedIlPct} ${range.expectedFeeApr}`
    const there = points.get(at)
    points.set(at, there === undefined ? range : { ...there, label: `${there.label}, ${range.label}` })
  }
  return [...points.values()]
}

/** Of the letters of a label; those of the shipped font are narrower, of a viewer's own hardly wider. */
const letterWidth = 6.6

function feeBar(result: RangeResult): readonly [number, number] {
  const { expectedFeeApr } = result.projections
  return [Math.max(0, expectedFeeApr - offOf(result)), expectedFeeApr + offOf(result)]
}

/** Loss and fees of the chosen range from one volatility to the next. */
function wayOf({ projections, sensitivity }: RangeResult): readonly (readonly [number, number])[] {
  return [...sensitivity, projections]
    .toSorted((one, other) => one.expectedIlPct - other.expectedIlPct)
    .map((one) => [one.expectedIlPct, one.expectedFeeApr] as const)
}

/** Small boxes that cover a line. */
function dotsAlong(line: readonly (readonly [number, number])[]): Box[] {
  return line.slice(1).flatMap(([x, y], index) => {
    const [fromX, fromY] = line[index] ?? [x, y]
    const dots = Math.ceil(Math.hypot(x - fromX, y - fromY) / 3)
    return Array.from({ length: dots }, (_, dot) => ({
      left: fromX + ((x - fromX) * dot) / dots - 1,
      top: fromY + ((y - fromY) * dot) / dots - 1,
      width: 2,
      height: 2,
    }))
  })
}

function seriesOf(result: RangeResult, scales: Scales, grid: Box, palette: Palette): SeriesOption[] {
  const place = { xAxisIndex: 2, yAxisIndex: 2, silent: true }
  const points = placed(result, scales, grid)
  const dataOf = (kind: Point['kind'], color: string) =>
    points
      .filter((point) => point.kind === kind)
      .map((point) => ({ name: point.name, value: [...point.value], label: labelOf(point, color) }))
  const chosen = result.projections
  const best = { itemStyle: { color: palette.best, opacity: 1 } }
  return [
    {
      ...place,
      ...best,
      type: 'line',
      name: 'way of the volatility',
      symbol: 'none',
      lineStyle: { color: palette.best, width: 1, type: 'dotted' },
      data: wayOf(result).map(([loss, fees]) => [loss, fees]),
    },
    {
      ...place,
      type: 'scatter',
      name: names.others,
      symbolSize: sizes.other,
      itemStyle: { color: palette.fan, opacity: 1 },
      data: dataOf('other', palette.ink),
    },
    {
      ...place,
      ...best,
      type: 'scatter',
      name: names.moved,
      symbolSize: sizes.moved,
      data: dataOf('moved', palette.faint),
    },
    {
      ...place,
      ...best,
      type: 'line',
      name: names.fees,
      symbol: 'rect',
      symbolSize: [10, 2],
      lineStyle: { color: palette.best, width: 2 },
      data: feeBar(result).map((fees) => [chosen.expectedIlPct, fees]),
    },
    {
      ...place,
      ...best,
      type: 'scatter',
      name: names.chosen,
      symbol: 'diamond',
      symbolSize: sizes.chosen,
      data: dataOf('chosen', palette.best),
    },
  ]
}

/** Its place is reported from the upper left corner of the mark. */
function labelOf({ place, x, y, size }: Point, color: string) {
  if (place === null) return { show: false }
  const { box, align } = place
  const anchor = { left: box.left, center: box.left + box.width / 2, right: box.left + box.width }[align]
  return {
    show: true,
    color,
    fontSize: 11,
    formatter: '{b}',
    align,
    verticalAlign: 'middle' as const,
    position: [anchor - (x - size / 2), box.top + box.height / 2 - (y - size / 2)],
  }
}
