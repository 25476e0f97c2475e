import type { BacktestCurves, StrategyCurve, TimedValue } from './backtest-curves.ts'
import {
  fullWidth,
  wideFrom,
  type Look,
  type Palette,
  niceScale,
  type Room,
  type Scale,
  axisLook,
  type FramePart,
  legendFontSize,
  legendItems,
} from '../frame.ts'
import type { GridComponentOption, LegendComponentOption, SeriesOption, YAXisComponentOption } from 'echarts'
import { showNumber } from '../figures.ts'
import type { Box } from '../place-labels.ts'

/**
 * Two charts over one time, or three, with whiskers and names right of the upper one's curves; the legend between the first heading and its
 * axes, or beside the heading where there is room.
 */
export function backtestParts(look: Look, backtest: BacktestCurves, room: Room): BacktestParts {
  const { strategies } = backtest
  const { width = fullWidth } = look
  const { above: head, below, left } = room
  const isNarrow = width < wideFrom
  const letters = Math.max(holding.length, ...strategies.map(({ name }) => name.length))
  const names = Math.min(Math.ceil(letterWidth * letters) + 8, Math.round(width * 0.2))
  const begin = isNarrow ? 74 : 84
  const across = { left: begin, width: width - begin - names - 6 }
  const span = spanOf(backtest, across.width)
  const value = isNarrow
    ? { ...across, top: head + 96, above: 96, height: 230 }
    : { ...across, top: head + 56, above: 56, height: 260 }
  const price = {
    left: begin,
    width: span.width,
    top: value.top + value.height + (isNarrow ? 62 : 80),
    above: 32,
    height: 180,
  }
  const legend = isNarrow ? { left: 8, top: head + 24, width: width - 16 } : { left: 300, top: head }
  const hasCourse = strategies.some(({ fees }) => fees !== undefined)
  // Two lines of a legend where it is narrow.
  const above = isNarrow ? 74 : 54
  const course = { ...price, top: price.top + price.height + 66 + above, above, height: 130 }
  const end = hasCourse ? course : price
  const height = end.top + end.height + 50 + below
  return { width, height, left, legend, value, price, course: hasCourse ? course : null, names, span }
}

export type BacktestParts = {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly legend: { readonly left: number; readonly top: number; readonly width?: number }
  readonly value: Chart
  readonly price: Chart
  /** Fees and loss over time; `null` where they are not known. */
  readonly course: Chart | null
  /** Pixels for the names right of the curves. */
  readonly names: number
  readonly span: Span
}

/** `above` its axes its heading begins. */
export type Chart = Box & { readonly above: number }

/** Times in Unix seconds: of the last bar, from one whisker to the next, and where the whiskers end. */
type Span = { readonly days: number; readonly last: number; readonly apart: number; readonly until: number }

/** Of the letters of a name, as wide as a viewer's own font has them. */
const letterWidth = 6.6

/** What is compared with. */
export const holding = 'HODL'

/** How long it was replayed, and how wide that is; the whiskers stand beside each other after the last bar. */
function spanOf({ prices, strategies }: BacktestCurves, width: number) {
  const [first, last] = [prices[0]?.at ?? 0, prices.at(-1)?.at ?? 0]
  const room = Math.min(whiskerRoom * (strategies.length + 1), width / 3)
  const after = ((last - first) * room) / (width - room)
  const apart = after / (strategies.length + 1)
  return { days: (last - first) / 86_400, last, apart, until: last + after, width: width - room }
}

/** From one whisker to the next. */
const whiskerRoom = 10

/** In US dollars, over all curves and whiskers. */
export function valueScale({ strategies, hodl }: BacktestCurves): Scale {
  const ends = strategies.flatMap((one) => {
    const end = one.equity.at(-1)?.valueUsd
    return end === undefined ? [] : [end - offOf(one), end + offOf(one)]
  })
  const curves = [hodl, ...strategies.map(({ equity }) => equity)].flat()
  return niceScale([...ends, ...curves.map(({ valueUsd }) => valueUsd)], { withZero: false })
}

/** How far the fees of a strategy may lie off, in US dollars. */
export function offOf({ feesEarnedUsd, feeUncertaintyPct }: StrategyCurve): number {
  return (feesEarnedUsd * feeUncertaintyPct) / 100
}

/** What one strategy earned in fees until then, and what it lost until then against its tokens held: where the one crosses the other. */
export function backtestCourse(strategy: StrategyCurve, place: CoursePlace, palette: Palette): Course {
  const { part, left, color } = place
  const line = (name: string, values: readonly TimedValue[], type: 'solid' | 'dashed', ink: string): SeriesOption => ({
    type: 'line',
    silent: true,
    symbol: 'none',
    name,
    xAxisIndex: 2,
    yAxisIndex: 2,
    lineStyle: { color: ink, width: 1.5, type },
    itemStyle: { color: ink },
    data: values.map(({ at, valueUsd }) => [1_000 * at, valueUsd]),
  })
  return {
    heading: { text: `Fees and impermanent loss of "${strategy.name}"`, left, top: part.top - part.above },
    grid: { left: part.left, top: part.top, width: part.width, height: part.height, outerBoundsMode: 'none' },
    legend: {
      left: part.left,
      top: part.top - part.above + 22,
      itemGap: 12,
      itemWidth: 16,
      itemHeight: 4,
      icon: 'rect',
      selectedMode: false,
      data: legendItems([{ name: names.fees }, { name: names.loss }]),
      textStyle: { color: palette.faint, fontSize: legendFontSize },
    },
    yAxis: {
      type: 'value',
      gridIndex: 2,
      ...axisLook('US dollars', palette),
      nameGap: 58,
      axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber },
    },
    series: [
      line(names.fees, strategy.fees ?? [], 'solid', color),
      line(names.loss, strategy.il ?? [], 'dashed', palette.ink),
    ],
  }
}

/** `left` of the heading, `color` of the strategy. */
type CoursePlace = { readonly part: Chart; readonly left: number; readonly color: string }

export type Course = {
  readonly heading: FramePart
  readonly grid: GridComponentOption
  readonly legend: LegendComponentOption
  readonly yAxis: YAXisComponentOption
  readonly series: readonly SeriesOption[]
}

const names = { fees: 'fees earned until then', loss: 'lost until then against the tokens held' }

/**
 * The name of each curve beside its end, at the right edge of its axes, with a thin line from the one to the other. Names stand in
 * the order of the values, none on another while there is room for all.
 */
export function curveEnds(ends: readonly CurveEnd[], { grid, scale, until, room }: EndsPlace, palette: Palette) {
  const perPixel = (scale.max - scale.min) / grid.height
  const tops = spread(
    ends.map(({ valueUsd }) => (scale.max - valueUsd) / perPixel),
    grid.height,
  )
  return ends.flatMap(({ name, color, at, whiskerAt, valueUsd }, index): SeriesOption[] => {
    const place = [1_000 * until, scale.max - (tops[index] ?? 0) * perPixel]
    return [
      {
        type: 'line',
        silent: true,
        symbol: 'none',
        name: `${name}: to its name`,
        lineStyle: { color, width: 1, opacity: 0.7 },
        data: [[1_000 * at, valueUsd], [1_000 * whiskerAt, valueUsd], place],
      },
      {
        type: 'scatter',
        silent: true,
        clip: false,
        name: `${name}: its name`,
        symbolSize: 1,
        itemStyle: { color: 'transparent' },
        label: {
          show: true,
          position: 'right',
          distance: 3,
          formatter: () => name,
          color: palette.ink,
          fontSize: 11,
          width: room - 4,
          overflow: 'truncate',
        },
        data: [place],
      },
    ]
  })
}

export type CurveEnd = {
  readonly name: string
  readonly color: string
  /** Unix seconds: of the last point, and of the mark beside it. */
  readonly at: number
  readonly whiskerAt: number
  readonly valueUsd: number
}

/** The axes, where those of time end in Unix seconds, and the pixels right of them. */
export type EndsPlace = { readonly grid: Box; readonly scale: Scale; readonly until: number; readonly room: number }

/** Heights that are a line apart and between 0 and the last, as near as can be to those that are wanted. */
export function spread(wanted: readonly number[], last: number): readonly number[] {
  const apart = Math.min(lineHeight, last / Math.max(1, wanted.length - 1))
  const order = wanted.map((_, index) => index).toSorted((one, other) => (wanted[one] ?? 0) - (wanted[other] ?? 0))
  const places: number[] = []
  order.forEach((index, rank) => {
    const above = rank === 0 ? 0 : (places[rank - 1] ?? 0) + apart
    places.push(Math.max(above, wanted[index] ?? 0))
  })
  for (let rank = places.length - 1; rank >= 0; rank -= 1) {
    const most = last - apart * (places.length - 1 - rank)
    places[rank] = Math.min(places[rank] ?? 0, most)
  }
  return wanted.map((_, index) => places[order.indexOf(index)] ?? 0)
}

const lineHeight = 13
