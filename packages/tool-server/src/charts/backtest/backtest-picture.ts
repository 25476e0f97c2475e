import type { EChartsOption, SeriesOption } from 'echarts'
import {
  backtestCourse,
  type Course,
  backtestParts,
  holding,
  offOf,
  valueScale,
  type BacktestParts,
  curveEnds,
} from './backtest-parts.ts'
import {
  axisLook,
  frame,
  legendFontSize,
  legendItems,
  type Picture,
  roomFor,
  type Look,
  type Palette,
  palettes,
} from '../frame.ts'
import { columnOf, showNumber } from '../figures.ts'
import type { BacktestCurves, TimedValue, StrategyCurve } from './backtest-curves.ts'
import type { Box } from '../place-labels.ts'

/**
 * Draws a backtest: the value of each strategy beside holding, with its rebalances; below, the price and the range that one of
 * them held, and its fees against its loss: of the best unless the look names another. Times are Unix seconds, values US dollars, prices token1 per token0.
 */
export function backtestPicture(backtest: BacktestCurves, look: Look = {}): Picture {
  const palette = palettes[look.theme ?? 'light']
  const said = words(backtest)
  const parts = backtestParts(look, backtest, roomFor(said, look))
  const colours = new Map(
    backtest.strategies.map(({ name }, index) => [name, palette.series[index % palette.series.length] ?? palette.ink]),
  )
  const shown = shownOf(backtest, look)
  const color = colours.get(shown?.name ?? '') ?? palette.ink
  const { course: part } = parts
  const course = shown === undefined || part === null ? null : backtestCourse(shown, { ...parts, part, color }, palette)
  const named = [...headings(shown, parts), ...(course === null ? [] : [course.heading])]
  return {
    width: parts.width,
    height: parts.height,
    followsViewer: look.theme === undefined,
    option: {
      ...frame({ ...said, parts: named }, palette, look),
      ...layout(backtest, { parts, palette, course }),
      series: [
        ...equitySeries(backtest, { colours, parts, palette }),
        ...namesOf(backtest, { colours, parts, palette }),
        ...bandSeries(backtest, shown, { color, palette }),
        ...(course?.series ?? []),
      ],
    },
  }
}

/** The one that is asked for, else the best. */
function shownOf({ strategies }: BacktestCurves, { strategy }: Look): StrategyCurve | undefined {
  const best = strategies.toSorted((one, other) => other.netReturnPct - one.netReturnPct)[0]
  return strategies.find(({ name }) => name === strategy) ?? best
}

function words(backtest: BacktestCurves) {
  const column = columnOf(backtest.strategies.map(({ netReturnPct }) => ({ value: netReturnPct })))
  const returns = backtest.strategies.map(({ name, netReturnPct }) => `${name} ${column.change(netReturnPct)} %`)
  return {
    title: `${backtest.pair} on ${backtest.chain}, fee ${showNumber(backtest.fee / 10_000)} %: strategies replayed`,
    subtitle: `Net return: ${returns.join(', ')}`,
    caption: [
      ...backtest.caption,
      'Bars at the right: how far the fees may lie off. A triangle is one rebalance or several. The past is no promise.',
    ],
  }
}

function headings(shown: StrategyCurve | undefined, { left, value, price }: BacktestParts) {
  return [
    { text: 'Value of the position, fees included', left, top: value.top - value.above },
    {
      text: shown === undefined ? 'Price' : `Price, and the range of "${shown.name}"`,
      left,
      top: price.top - price.above,
    },
  ]
}

function layout(backtest: BacktestCurves, { parts, palette, course }: Layout): EChartsOption {
  const { pair, strategies } = backtest
  const [token0 = 'token0', token1 = 'token1'] = pair.split('/')
  const { days, last, until } = parts.span
  const { min, max, interval } = valueScale(backtest)
  const value = (name: string) => ({
    type: 'value' as const,
    scale: true,
    ...axisLook(name, palette),
    nameGap: 58,
    axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber },
  })
  const look = axisLook('', palette)
  const axisLabel = { ...look.axisLabel, ...(days > 2 && { formatter: '{MMM} {d}' }) }
  const time = {
    type: 'time' as const,
    ...look,
    axisLabel,
    splitLine: { show: false },
  }
  const endsAt = (at: number) => (at > 0 ? { max: 1_000 * at } : {})
  return {
    useUTC: true,
    grid: [gridOf(parts.value), gridOf(parts.price), ...(course === null ? [] : [course.grid])],
    legend: [
      {
        ...parts.legend,
        itemGap: 12,
        itemWidth: 16,
        itemHeight: 10,
        icon: stroke,
        data: legendItems([
          ...strategies.map(({ name }) => ({ name })),
          { name: holding, icon: dashes },
          { name: marks.rebalances, icon: 'triangle', itemStyle: { color: palette.faint } },
          { name: marks.fees, icon: whisker, itemStyle: { color: palette.faint } },
        ]),
        textStyle: { color: palette.faint, fontSize: legendFontSize },
      },
      ...(course === null ? [] : [course.legend]),
    ],
    xAxis: [
      { ...time, gridIndex: 0, axisLabel: { show: false }, axisTick: { show: false }, ...endsAt(until) },
      { ...time, gridIndex: 1, name: 'Time (UTC)', nameGap: 26, ...endsAt(last) },
      ...(course === null ? [] : [{ ...time, gridIndex: 2, name: 'Time (UTC)', nameGap: 26, ...endsAt(last) }]),
    ],
    yAxis: [
      { ...value('US dollars'), gridIndex: 0, min, max, interval },
      // A bound of a range on the axis itself is not seen.
      { ...value(`${token1} per ${token0}`), gridIndex: 1, boundaryGap: ['6%', '6%'] },
      ...(course === null ? [] : [course.yAxis]),
    ],
  }
}

type Layout = { readonly parts: BacktestParts; readonly palette: Palette; readonly course: Course | null }

/** Just there: both times are given by one scale, and echarts would move one to give its labels room. */
function gridOf({ left, top, width, height }: Box) {
  return { left, top, width, height, outerBoundsMode: 'none' as const }
}

/** What the marks mean, whatever their colour. */
const marks = { rebalances: 'rebalances', fees: '± of the fees, at the end' }

const stroke = 'path://M0,0H16V4H0Z'
const dashes = 'path://M0,0H4.5V4H0ZM5.8,0H10.2V4H5.8ZM11.5,0H16V4H11.5Z'
const whisker = 'path://M2,0H8V1H5.5V9H8V10H2V9H4.5V1H2Z'

type Drawn = { readonly colours: Colours; readonly parts: BacktestParts; readonly palette: Palette }

function namesOf(backtest: BacktestCurves, { colours, parts, palette }: Drawn): SeriesOption[] {
  const { last, apart, until } = parts.span
  const curves = [
    ...backtest.strategies.map(({ name, equity }) => ({ name, end: equity.at(-1), color: colours.get(name) })),
    { name: holding, end: backtest.hodl.at(-1), color: palette.faint },
  ]
  const ends = curves.flatMap(({ name, end, color = palette.ink }, index) => {
    const whiskerAt = last + apart * Math.min(index + 1, backtest.strategies.length)
    return end === undefined ? [] : [{ name, color, ...end, whiskerAt }]
  })
  const place = { grid: parts.value, scale: valueScale(backtest), until, room: parts.names }
  return curveEnds(ends, place, palette)
}

function equitySeries(backtest: BacktestCurves, { colours, parts, palette }: Drawn): SeriesOption[] {
  const { strategies, hodl } = backtest
  const { apart } = parts.span
  return [
    ...Object.values(marks).map((name): SeriesOption => ({ type: 'scatter', name, data: [] })),
    {
      ...quiet,
      name: holding,
      lineStyle: { color: palette.faint, width: 2, type: 'dashed' },
      itemStyle: { color: palette.faint },
      data: hodl.map(point),
    },
    ...strategies.flatMap((strategy, index) =>
      ofStrategy(strategy, colours.get(strategy.name) ?? palette.ink, apart * (index + 1)),
    ),
  ]
}

type Colours = ReadonlyMap<string, string>

function ofStrategy(strategy: StrategyCurve, color: string, afterSeconds: number): SeriesOption[] {
  const { name, equity, ranges } = strategy
  const end = equity.at(-1)
  const off = offOf(strategy)
  return [
    { ...quiet, name, lineStyle: { color, width: 2 }, itemStyle: { color }, data: equity.map(point) },
    {
      type: 'scatter',
      silent: true,
      name: `${name}: rebalances`,
      symbol: 'triangle',
      symbolSize: 9,
      itemStyle: { color },
      data: ranges.slice(1).map(({ at }) => [at * 1_000, valueAt(equity, at)]),
    },
    {
      ...quiet,
      name: `${name}: uncertainty of the fees`,
      symbol: 'rect',
      symbolSize: [7, 2],
      lineStyle: { color, width: 1.5 },
      itemStyle: { color },
      data:
        end === undefined ? [] : [-off, off].map((change) => [(end.at + afterSeconds) * 1_000, end.valueUsd + change]),
    },
  ]
}

/** The price with the bounds of the ranges of the strategy that is shown, as steps; a bound of the full range has no line. */
function bandSeries(
  backtest: BacktestCurves,
  shownOne: StrategyCurve | undefined,
  { color, palette }: { readonly color: string; readonly palette: Palette },
): SeriesOption[] {
  const place = { ...quiet, xAxisIndex: 1, yAxisIndex: 1 }
  const ranges = shownOne?.ranges ?? []
  const last = ranges.at(-1)
  const end = backtest.prices.at(-1)?.at ?? 0
  const shown = (price: number | 'Infinity') => (price !== 'Infinity' && price > 0 && price < Infinity ? price : null)
  const bound = (name: string, of: 'lower' | 'upper'): SeriesOption => ({
    ...place,
    name,
    step: 'end',
    lineStyle: { color, width: 1.5, type: 'dashed' },
    itemStyle: { color },
    data: [
      ...ranges.map((range) => [range.at * 1_000, shown(range[of])]),
      ...(last === undefined ? [] : [[end * 1_000, shown(last[of])]]),
    ],
  })
  return [
    {
      ...place,
      name: 'price',
      lineStyle: { color: palette.ink, width: 1.5 },
      itemStyle: { color: palette.ink },
      data: backtest.prices.map(({ at, price }) => [at * 1_000, price]),
    },
    bound('lower bound', 'lower'),
    bound('upper bound', 'upper'),
  ]
}

const quiet = { type: 'line' as const, silent: true, symbol: 'none' }

function point({ at, valueUsd }: TimedValue): [number, number] {
  return [at * 1_000, valueUsd]
}

/** Between two points of a curve as much of the way as of the time. */
function valueAt(equity: readonly TimedValue[], at: number): number {
  const next = equity.findIndex((one) => one.at >= at)
  const after = equity[next]
  if (after === undefined) return equity.at(-1)?.valueUsd ?? 0
  const before = equity[next - 1]
  if (before === undefined) return after.valueUsd
  const share = (at - before.at) / (after.at - before.at)
  return before.valueUsd + share * (after.valueUsd - before.valueUsd)
}
