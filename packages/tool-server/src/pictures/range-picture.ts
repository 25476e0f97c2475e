import { priceFan } from '@svc/lp-math'
import type { SeriesOption } from 'echarts'
import { axisLook, frame } from './frame.ts'
import { legendFontSize, legendItems } from './legend-room.ts'
import type { Look } from './look.ts'
import { noRangePays, noRangePaysWords } from './no-range-pays.ts'
import { palettes, type Palette } from './palette.ts'
import type { Picture } from './picture.ts'
import { rangeFrontier } from './range-frontier.ts'
import { rangeNets } from './range-nets.ts'
import { rangeParts, type RangeParts } from './range-parts.ts'
import { showNumber, showWithError } from './show-number.ts'

/**
 * Draws a result of `optimize_lp_range`: where the price may go until the horizon, the ranges that were compared on the same scale,
 * and what each earns in fees against what it loses. Prices are token1 per token0.
 */
export function rangePicture(result: RangeResult, horizonDays: number, look: Look = {}): Picture {
  const palette = palettes[look.theme ?? 'light']
  const parts = rangeParts(look, 1 + result.candidateRanges.length)
  const fan = fanOf(result, horizonDays)
  const scale = scaleOf(result, fan)
  const prices = priceParts(result, horizonDays, { scale, parts, palette })
  const frontier = rangeFrontier(result, horizonDays, parts, palette)
  const nets = rangeNets(result, parts, palette)
  return {
    width: parts.width,
    height: parts.height,
    option: {
      ...frame({ ...words(result, horizonDays), parts: headings(parts) }, palette, look),
      grid: [parts.fan.grid, parts.ranges.grid, parts.frontier.grid, parts.nets.grid],
      legend: [...prices.legends, frontier.legend, nets.legend],
      xAxis: [...prices.xAxis, frontier.xAxis, nets.xAxis],
      yAxis: [...prices.yAxis, frontier.yAxis, nets.yAxis],
      series: [
        ...fanSeries(fan, result, palette),
        ...candidateSeries(result, scale, palette),
        ...frontier.series,
        ...nets.series,
      ],
    },
  }
}

/** What of a result of `optimize_lp_range` the picture shows. */
export type RangeResult = {
  readonly pair: string
  readonly chain: { readonly name: string }
  readonly fee: number
  readonly currentPrice: number
  readonly volatility: {
    readonly source: string
    readonly annualized: number
    readonly standardError: number
    readonly lookback: string
  }
  readonly optimalRange: PriceRange
  readonly projections: RangeYields & RangeErrors & { readonly feeUncertaintyPct: number; readonly gasApr: number }
  readonly candidateRanges: readonly (PriceRange & RangeYields & RangeErrors & { readonly label: string })[]
  readonly sensitivity: readonly (RangeYields & { readonly annualized: number })[]
  readonly simulation?:
    | { readonly seed: number; readonly paths: number; readonly maxStandardErrorsOff: number }
    | undefined
}

export type PriceRange = { readonly priceLower: number; readonly priceUpper: number | 'Infinity' }

export type RangeYields = {
  readonly expectedFeeApr: number
  readonly expectedIlPct: number
  readonly expectedNetApr: number
  readonly inRangeProbability: number
  readonly lvrApr: number
}

/** Standard errors: of the net by the fees and by the volatility, of the others by the volatility. */
export type RangeErrors = {
  readonly expectedNetAprError: number
  readonly inRangeProbabilityError: number
  readonly expectedIlPctError: number
}

type Fan = readonly { readonly day: number; readonly prices: readonly [number, number, number, number, number] }[]

type Scale = { readonly min: number; readonly max: number }

function fanOf({ currentPrice: price, volatility }: RangeResult, horizonDays: number): Fan {
  const model = { price, sigma: volatility.annualized, drift: 0, years: horizonDays / 365 }
  const { p5, p25, p50, p75, p95 } = priceFan(model, fanSteps)
  return Array.from(p50, (median, step) => ({
    day: (horizonDays * step) / fanSteps,
    prices: [p5[step] ?? median, p25[step] ?? median, median, p75[step] ?? median, p95[step] ?? median],
  }))
}

const fanSteps = 60

/** Room for the fan and for the range that was chosen, unless that is far wider; what is beyond is cut off. */
function scaleOf({ optimalRange, currentPrice }: RangeResult, fan: Fan): Scale {
  const last = fan.at(-1)?.prices ?? [currentPrice, currentPrice, currentPrice, currentPrice, currentPrice]
  const upper = optimalRange.priceUpper === 'Infinity' ? last[4] : Math.min(optimalRange.priceUpper, 2 * last[4])
  const lower = Math.max(optimalRange.priceLower, last[0] / 2)
  const low = Math.min(last[0], lower, currentPrice * 0.98)
  const high = Math.max(last[4], upper, currentPrice * 1.02)
  return { min: Math.max(0, low - 0.06 * (high - low)), max: high + 0.06 * (high - low) }
}

function words(result: RangeResult, horizonDays: number) {
  const { pair, chain, fee, volatility, projections, optimalRange, simulation } = result
  const upper = optimalRange.priceUpper === 'Infinity' ? 'no upper bound' : showNumber(optimalRange.priceUpper)
  const fees = projections.expectedFeeApr
  const withError = (value: number, off: number, unit = '%') => {
    const shown = showWithError(value, off)
    return `${shown.value} ${unit} (+/- ${shown.error})`
  }
  const range = `range ${showNumber(optimalRange.priceLower)} to ${upper}`
  const isLoss = noRangePays(result)
  return {
    title: `${pair} on ${chain.name}, fee ${showNumber(fee / 10_000)} %: ${isLoss ? noRangePaysWords : range}`,
    subtitle:
      `${isLoss ? `Of ${range}` : 'Expected'}: in range ${withError(100 * projections.inRangeProbability, 100 * projections.inRangeProbabilityError)} of ${showNumber(horizonDays)} days, ` +
      `fees ${withError(fees, (fees * projections.feeUncertaintyPct) / 100, '% a year')}, LVR ${showNumber(projections.lvrApr)} %, ` +
      `net ${withError(projections.expectedNetApr, projections.expectedNetAprError, '% a year')}`,
    caption: [
      `Model: log-normal price without drift, volatility ${withError(100 * volatility.annualized, 100 * volatility.standardError)} a year (${volatility.source}, ${volatility.lookback}). ` +
        'Fees as in the past: a forecast, no promise.',
      'Whiskers: one standard error of the net yield, by its fees and the volatility, to either side. A triangle: the range goes on beyond the scale.',
      simulation === undefined
        ? 'Closed forms; no simulation.'
        : `Closed forms, checked by ${simulation.paths.toLocaleString('en-US')} simulated paths (seed ${simulation.seed}): ` +
          `at most ${showNumber(simulation.maxStandardErrorsOff)} standard errors apart.`,
    ],
  }
}

function headings({ fan, ranges, frontier, nets }: RangeParts) {
  return [
    { text: 'Where the price may go', left: fan.left, top: fan.top },
    { text: 'Ranges compared', left: ranges.left, top: ranges.top },
    { text: 'Fees against impermanent loss', left: frontier.left, top: frontier.top },
    { text: 'Net yield of each range', left: nets.left, top: nets.top },
  ]
}

type Frame = { readonly scale: Scale; readonly parts: RangeParts; readonly palette: Palette }

/** The fan and the ranges, over one scale of prices. */
function priceParts(result: RangeResult, horizonDays: number, { scale, parts, palette }: Frame) {
  const unit = `${result.pair.split('/')[1] ?? 'token1'} per ${result.pair.split('/')[0] ?? 'token0'}`
  const price = { type: 'value' as const, ...scale, ...axisLook(unit, palette), nameGap: 58 }
  const axisLabel = { color: palette.ink, fontSize: 11, formatter: tick }
  const legendLook = { itemGap: 14, itemWidth: 16, textStyle: { color: palette.faint, fontSize: legendFontSize } }
  const isCut = endsOf(result, scale).some(({ lower, upper }) => lower === scale.min || upper === scale.max)
  return {
    legends: [
      {
        ...parts.legend,
        ...legendLook,
        itemHeight: 8,
        icon: 'rect',
        data: legendItems([bandNames.wide, bandNames.narrow, bandNames.median].map((name) => ({ name }))),
      },
      {
        ...parts.rangesLegend,
        ...legendLook,
        itemHeight: 7,
        selectedMode: false,
        data: legendItems(isCut ? [{ name: cutName, icon: 'triangle', itemStyle: { color: palette.faint } }] : []),
      },
    ],
    xAxis: [
      { type: 'value' as const, gridIndex: 0, max: horizonDays, ...axisLook('Days from now', palette), nameGap: 26 },
      {
        type: 'category' as const,
        gridIndex: 1,
        data: ['chosen', ...result.candidateRanges.map(({ label }) => label)],
        ...axisLook('', palette),
        axisLabel: { color: palette.ink, fontSize: 11, interval: 0, margin: 16, rotate: parts.isNarrow ? 48 : 30 },
      },
    ],
    yAxis: [
      { ...price, gridIndex: 0, axisLabel },
      { ...price, gridIndex: 1, ...(parts.isNarrow ? { axisLabel } : { name: '', axisLabel: { show: false } }) },
    ],
  }
  /** The ends of the scale are no round numbers, and are left without words. */
  function tick(value: number): string {
    return value === scale.min || value === scale.max ? '' : showNumber(value)
  }
}

const cutName = 'goes on beyond the scale'

const bandNames = { wide: '5 to 95 %', narrow: '25 to 75 %', median: 'median' }

/** Bands are laid on one another: each line adds its distance from the one below. */
function fanSeries(fan: Fan, { optimalRange }: RangeResult, palette: Palette): SeriesOption[] {
  const band = (name: string, from: 0 | 1 | 2 | 3, opacity: number): SeriesOption => ({
    ...quiet,
    name,
    stack: 'fan',
    data: fan.map(({ day, prices }) => [day, prices[(from + 1) as 1 | 2 | 3 | 4] - prices[from]]),
    areaStyle: { color: palette.fan, opacity },
    itemStyle: { color: palette.fan, opacity: opacity * 1.4 },
  })
  const upper = optimalRange.priceUpper === 'Infinity' ? Number.MAX_VALUE : optimalRange.priceUpper
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
          ...(optimalRange.priceLower > 0 ? [{ name: 'chosen: lower', yAxis: optimalRange.priceLower }] : []),
          ...(upper < Number.MAX_VALUE ? [{ name: 'chosen: upper', yAxis: upper }] : []),
        ],
      },
    },
  ]
}

/** On a ground of its own, since bands and bars lie below. */
function lineLabel({ ground }: Palette) {
  return { position: 'insideEndTop' as const, fontSize: 11, backgroundColor: ground, padding: [1, 3] }
}

const quiet = { type: 'line' as const, silent: true, symbol: 'none', lineStyle: { width: 0 } }

/** One bar from the lower to the upper price for each range, the chosen one first. */
function candidateSeries(result: RangeResult, scale: Scale, palette: Palette): SeriesOption[] {
  const ranges = endsOf(result, scale)
  const place = {
    type: 'bar' as const,
    stack: 'candidates',
    xAxisIndex: 1,
    yAxisIndex: 1,
    silent: true,
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
function endsOf({ optimalRange, candidateRanges }: RangeResult, { min, max }: Scale): readonly Ends[] {
  return [optimalRange, ...candidateRanges].map(({ priceLower, priceUpper }) => ({
    lower: Math.min(Math.max(priceLower, min), max),
    upper: priceUpper === 'Infinity' ? max : Math.max(Math.min(priceUpper, max), min),
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
