import type { EChartsOption, SeriesOption } from 'echarts'
import { axisLook, frame } from './frame.ts'
import { fullWidth, margins, wideFrom, type Grid, type Look } from './look.ts'
import { palettes, type Palette } from './palette.ts'
import type { Picture } from './picture.ts'
import { showChange, showNumber } from './show-number.ts'

/**
 * Draws a backtest: the value of each strategy beside holding, with its rebalances; below, the price and the range that the best
 * strategy held. Times are Unix seconds, values US dollars, prices token1 per token0.
 */
export function backtestPicture(backtest: BacktestCurves, look: Look = {}): Picture {
  const palette = palettes[look.theme ?? 'light']
  const parts = partsOf(look)
  const colours = new Map(
    backtest.strategies.map(({ name }, index) => [name, palette.series[index % palette.series.length] ?? palette.ink]),
  )
  return {
    width: parts.width,
    height: parts.height,
    option: {
      ...frame({ ...words(backtest), parts: headings(backtest, parts) }, palette, look),
      ...layout(backtest, parts, palette),
      series: [...equitySeries(backtest, colours, palette), ...bandSeries(backtest, colours, palette)],
    },
  }
}

/** What the picture of a backtest is drawn from. */
export type BacktestCurves = {
  readonly pair: string
  readonly chain: string
  readonly fee: number
  /** What the replay rests on, a line each: bars, gas, what is estimated. */
  readonly caption: readonly string[]
  readonly prices: readonly { readonly at: number; readonly price: number }[]
  readonly hodl: readonly TimedValue[]
  readonly strategies: readonly StrategyCurve[]
}

export type TimedValue = { readonly at: number; readonly valueUsd: number }

export type StrategyCurve = {
  readonly name: string
  readonly netReturnPct: number
  readonly feesEarnedUsd: number
  /** How far the fees may lie off, in percent of them. */
  readonly feeUncertaintyPct: number
  readonly equity: readonly TimedValue[]
  /** Each range from when it was opened; from 0 and without an upper price for the full one. The first opens the strategy, the others are rebalances, of those close together the last. */
  readonly ranges: readonly TimedRange[]
}

export type TimedRange = { readonly at: number; readonly lower: number; readonly upper: number | 'Infinity' }

function bestOf({ strategies }: BacktestCurves): StrategyCurve | undefined {
  return strategies.toSorted((one, other) => other.netReturnPct - one.netReturnPct)[0]
}

function words(backtest: BacktestCurves) {
  const returns = backtest.strategies.map(({ name, netReturnPct }) => `${name} ${showChange(netReturnPct)} %`)
  return {
    title: `${backtest.pair} on ${backtest.chain}, fee ${showNumber(backtest.fee / 10_000)} %: strategies replayed`,
    subtitle: `Net return: ${returns.join(', ')}`,
    caption: [
      ...backtest.caption,
      'Bars at the right: how far the fees may lie off. A triangle is one rebalance or several. The past is no promise.',
    ],
  }
}

function headings(backtest: BacktestCurves, { left, value, price }: Parts) {
  const best = bestOf(backtest)
  return [
    { text: 'Value of the position, fees included', left, top: value.top - value.above },
    {
      text: best === undefined ? 'Price' : `Price, and the range of "${best.name}"`,
      left,
      top: price.top - price.above,
    },
  ]
}

type Parts = ReturnType<typeof partsOf>

/** Two charts over one time, the legend between the first heading and its axes, or beside the heading where there is room. */
function partsOf(look: Look) {
  const { width = fullWidth } = look
  const { above, below, left } = margins(look)
  const isNarrow = width < wideFrom
  const across = isNarrow ? { left: 66, width: width - 82 } : { left: 84, width: width - 120 }
  const value = isNarrow
    ? { ...across, top: above + 80, above: 80, height: 230 }
    : { ...across, top: above + 56, above: 56, height: 260 }
  const price = { ...across, top: value.top + value.height + (isNarrow ? 62 : 80), above: 32, height: 180 }
  const legend = isNarrow ? { left: 8, top: above + 24, width: width - 16 } : { left: 300, top: above }
  const height = price.top + price.height + 50 + below
  return { width, height, left, legend, value, price }
}

function layout({ pair, strategies }: BacktestCurves, parts: Parts, palette: Palette): EChartsOption {
  const [token0 = 'token0', token1 = 'token1'] = pair.split('/')
  const value = (name: string) => ({
    type: 'value' as const,
    scale: true,
    ...axisLook(name, palette),
    nameGap: 58,
    axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber },
  })
  const time = { type: 'time' as const, ...axisLook('', palette), splitLine: { show: false } }
  return {
    useUTC: true,
    grid: [gridOf(parts.value), gridOf(parts.price)],
    legend: {
      ...parts.legend,
      itemGap: 18,
      itemWidth: 16,
      itemHeight: 4,
      icon: 'rect',
      data: [...strategies.map(({ name }) => name), holding],
      textStyle: { color: palette.faint, fontSize: 11 },
    },
    xAxis: [
      { ...time, gridIndex: 0, axisLabel: { show: false } },
      { ...time, gridIndex: 1, name: 'Time (UTC)', nameGap: 26 },
    ],
    yAxis: [
      { ...value('US dollars'), gridIndex: 0 },
      { ...value(`${token1} per ${token0}`), gridIndex: 1 },
    ],
  }
}

function gridOf({ left, top, width, height }: Grid): Grid {
  return { left, top, width, height }
}

const holding = 'HODL'

function equitySeries({ strategies, hodl }: BacktestCurves, colours: Colours, palette: Palette): SeriesOption[] {
  return [
    {
      ...quiet,
      name: holding,
      lineStyle: { color: palette.faint, width: 2, type: 'dashed' },
      itemStyle: { color: palette.faint },
      data: hodl.map(point),
    },
    ...strategies.flatMap((strategy) => ofStrategy(strategy, colours.get(strategy.name) ?? palette.ink)),
  ]
}

type Colours = ReadonlyMap<string, string>

function ofStrategy(strategy: StrategyCurve, color: string): SeriesOption[] {
  const { name, equity, ranges, feesEarnedUsd, feeUncertaintyPct } = strategy
  const end = equity.at(-1)
  const off = (feesEarnedUsd * feeUncertaintyPct) / 100
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
      symbolSize: [10, 2],
      lineStyle: { color, width: 1.5 },
      itemStyle: { color },
      data: end === undefined ? [] : [-off, off].map((change) => [end.at * 1_000, end.valueUsd + change]),
    },
  ]
}

/** The price with the bounds of the best strategy's ranges, as steps; a bound of the full range has no line. */
function bandSeries(backtest: BacktestCurves, colours: Colours, palette: Palette): SeriesOption[] {
  const place = { ...quiet, xAxisIndex: 1, yAxisIndex: 1 }
  const best = bestOf(backtest)
  const color = colours.get(best?.name ?? '') ?? palette.ink
  const ranges = best?.ranges ?? []
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
