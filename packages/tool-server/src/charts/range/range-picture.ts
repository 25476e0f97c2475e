import {
  type AxesPart,
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
import { noRangePays, noRangePaysWords } from './range-figures.ts'
import {
  candidateSeries,
  cutName,
  depthAxes,
  depthName,
  depthSeries,
  endsOf,
  type Scale,
  bandNames,
  type Fan,
  fanOf,
  fanSeries,
  nowSeries,
  pastName,
  pastOf,
  rangeParts,
  type RangeParts,
} from './range-parts.ts'
import { rangeFrontier } from './range-frontier.ts'
import type { PastPrice, RangeResult } from './range-surroundings.ts'
import { columnOf, showInterval, showNumber, showWithError } from '../figures.ts'

/**
 * Draws a result of `optimize_lp_range`. One part shows where the price may go until the horizon, one shows the compared ranges on the
 * same price scale, and two show the fees of each range against its losses. Prices are token1 per token0.
 */
export function rangePicture(result: RangeResult, horizonDays: number, look: Look = {}): Picture {
  const palette = palettes[look.theme ?? 'light']
  const said = words(result, horizonDays)
  const parts = rangeParts(look, 1 + result.candidateRanges.length, roomFor(said, look))
  const fan = fanOf(result, horizonDays)
  const past = pastOf(result, horizonDays)
  const scale = scaleOf(result, fan, past)
  const prices = priceParts(result, { past, horizonDays, scale, parts, palette })
  const depth = depthAxes(result)
  const frontier = rangeFrontier(result, horizonDays, parts, palette)
  const nets = rangeNets(result, parts, palette)
  return {
    width: parts.width,
    height: parts.height,
    followsViewer: look.theme === undefined,
    option: {
      ...frame({ ...said, parts: headings(parts) }, palette, look),
      grid: [parts.fan.grid, parts.ranges.grid, parts.frontier.grid, parts.nets.grid],
      legend: [...prices.legends, frontier.legend, nets.legend],
      xAxis: [...prices.xAxis, frontier.xAxis, nets.xAxis, ...depth.xAxis],
      yAxis: [...prices.yAxis, frontier.yAxis, nets.yAxis, ...depth.yAxis],
      series: [
        ...fanSeries(fan, result, palette),
        ...nowSeries(past, palette),
        ...depthSeries(result, scale, palette),
        ...candidateSeries(result, scale, palette),
        ...frontier.series,
        ...nets.series,
      ],
    },
  }
}

/** Room for the fan, the past and the range that was chosen, unless those are far wider; what is beyond is cut off. */
function scaleOf({ optimalRange, currentPrice }: RangeResult, fan: Fan, past: readonly PastPrice[]): Scale {
  const last = fan.at(-1)?.prices ?? [currentPrice, currentPrice, currentPrice, currentPrice, currentPrice]
  const upper = optimalRange.priceUpper ?? last[4]
  const prices = past.map(({ price }) => price)
  const lowest = Math.max(Math.min(optimalRange.priceLower ?? 0, ...prices), last[0] / 2)
  const highest = Math.min(Math.max(upper, ...prices), 2 * last[4])
  const low = Math.min(last[0], lowest, currentPrice * 0.98)
  const high = Math.max(last[4], highest, currentPrice * 1.02)
  return { min: Math.max(0, low - 0.06 * (high - low)), max: high + 0.06 * (high - low) }
}

function words(result: RangeResult, horizonDays: number) {
  const { pair, chain, fee, volatility, projections, optimalRange, simulation } = result
  const upper = optimalRange.priceUpper === null ? 'no upper bound' : showNumber(optimalRange.priceUpper)
  const fees = projections.expectedFeeApr
  const withError = (value: number, off: number, unit = '%') => {
    const shown = showWithError(value, off)
    return `${shown.value} ${unit} (+/- ${shown.error})`
  }
  const inAll = (shown: string, low: number | null, high: number | null) => {
    const interval = showInterval(low, high)
    return interval === null ? shown : `${shown.replace(/ \(.*/, '')} (95 %: ${interval})`
  }
  const range = `range ${showNumber(optimalRange.priceLower ?? 0)} to ${upper}`
  const isLoss = noRangePays(result)
  return {
    title: `${pair} on ${chain.name}, fee ${showNumber(fee / 10_000)} %: ${isLoss ? noRangePaysWords : range}`,
    subtitle:
      `${isLoss ? `Of ${range}` : 'Expected'}: in range ${withError(100 * projections.inRangeProbability, 100 * projections.inRangeProbabilityError)} of ${showNumber(horizonDays)} days, ` +
      `fees ${inAll(withError(fees, (fees * projections.feeUncertaintyPct) / 100, '% a year'), projections.expectedFeeAprLow95, projections.expectedFeeAprHigh95)}, LVR ${showNumber(projections.lvrApr)} %, ` +
      `net ${inAll(withError(projections.expectedNetApr, projections.expectedNetAprError, '% a year'), projections.expectedNetAprLow95, projections.expectedNetAprHigh95)}`,
    caption: [
      `Model: log-normal price without drift, volatility ${withError(100 * volatility.annualized, 100 * volatility.standardError)} a year (${volatility.source}, ${volatility.lookback}). ` +
        'Fees as in the past: a forecast, no promise.',
      'Whiskers: where the net yield of these days is to be found in 68 (thick) and in 95 of 100 cases. A triangle: the range goes on beyond the scale.',
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

type Frame = {
  readonly past: readonly PastPrice[]
  readonly horizonDays: number
  readonly scale: Scale
  readonly parts: RangeParts
  readonly palette: Palette
}

/** The fan and the ranges, over one scale of prices. */
function priceParts(result: RangeResult, { past, horizonDays, scale, parts, palette }: Frame) {
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
        data: legendItems([
          ...(past.length === 0 ? [] : [{ name: pastName }]),
          ...[bandNames.wide, bandNames.narrow, bandNames.median].map((name) => ({ name })),
        ]),
      },
      {
        ...parts.rangesLegend,
        ...legendLook,
        itemHeight: 7,
        selectedMode: false,
        data: legendItems([
          ...(isCut ? [{ name: cutName, icon: 'triangle', itemStyle: { color: palette.faint } }] : []),
          ...(result.depth === undefined ? [] : [{ name: depthName, icon: 'rect' }]),
        ]),
      },
    ],
    xAxis: [
      {
        type: 'value' as const,
        gridIndex: 0,
        min: past[0]?.days ?? 0,
        max: horizonDays,
        ...axisLook('Days from now', palette),
        axisLabel: { color: palette.ink, fontSize: 11, hideOverlap: true, formatter: day },
        nameGap: 26,
      },
      {
        type: 'category' as const,
        gridIndex: 1,
        data: ['chosen', ...result.candidateRanges.map(({ label }) => label)],
        ...axisLook('', palette),
        axisLabel: { color: palette.ink, fontSize: 11, interval: 0, margin: 16, rotate: 48 },
      },
    ],
    yAxis: [
      { ...price, gridIndex: 0, axisLabel },
      { ...price, gridIndex: 1, ...(parts.isNarrow ? { axisLabel } : { name: '', axisLabel: { show: false } }) },
    ],
  }
  /** So is the begin of the past. */
  function day(value: number): string {
    return value < 0 && value === past[0]?.days ? '' : showNumber(value)
  }
  /** The ends of the scale are no round numbers, and are left without words. */
  function tick(value: number): string {
    return value === scale.min || value === scale.max ? '' : showNumber(value)
  }
}

/** The net yield of each range as a bar, the chosen one first, with whiskers over 68 and 95 of 100 cases. */
function rangeNets(result: RangeResult, parts: RangeParts, palette: Palette): AxesPart {
  const ranges = [{ ...result.projections, label: 'chosen' }, ...result.candidateRanges]
  const column = columnOf(ranges.map((one) => ({ value: one.expectedNetApr, error: one.expectedNetAprError })))
  const place = { xAxisIndex: 3, yAxisIndex: 3, silent: true }
  return {
    legend: {
      ...parts.netsLegend,
      itemWidth: 16,
      itemHeight: 9,
      data: legendItems([{ name: whiskers, icon: 'path://M0,2H1V4.5H15V2H16V8H15V5.5H1V8H0Z' }]),
      textStyle: { color: palette.faint, fontSize: legendFontSize },
    },
    xAxis: {
      type: 'value',
      gridIndex: 3,
      ...axisLook('Net, % a year', palette),
      axisLine: { show: false },
      axisLabel: { color: palette.ink, fontSize: 11, formatter: showNumber, hideOverlap: true },
      nameGap: 26,
    },
    yAxis: {
      type: 'category',
      gridIndex: 3,
      inverse: true,
      data: ranges.map(({ label, expectedNetApr, expectedNetAprError }) => {
        return `${label}: ${column.change(expectedNetApr)} ± ${column.error(expectedNetAprError)}`
      }),
      axisTick: { show: false },
      axisLine: { show: true, onZero: true, lineStyle: { color: palette.faint } },
      axisLabel: { color: palette.ink, fontSize: 11, interval: 0 },
    },
    series: [
      {
        ...place,
        type: 'bar',
        name: 'net',
        barWidth: '60%',
        data: ranges.map(({ expectedNetApr }, index) => ({
          value: expectedNetApr,
          itemStyle: { color: index === 0 ? palette.best : palette.faint, opacity: index === 0 ? 0.9 : 0.55 },
        })),
      },
      whiskersOver(
        ranges.map((one) => [one.expectedNetAprLow95, one.expectedNetAprHigh95]),
        { width: 1.25, palette },
      ),
      whiskersOver(
        ranges.map((one) => [one.expectedNetAprLow68, one.expectedNetAprHigh68]),
        { width: 3.5, palette },
      ),
    ],
  }
}

const whiskers = '68 and 95 of 100 cases'

/** Lines from one end to the other, row by row; none where nothing forecasts the ends. */
function whiskersOver(
  ends: readonly (readonly (number | null)[])[],
  { width, palette }: { readonly width: number; readonly palette: Palette },
) {
  return {
    xAxisIndex: 3,
    yAxisIndex: 3,
    silent: true,
    type: 'line' as const,
    name: whiskers,
    symbol: 'rect',
    symbolSize: [1.5, 7],
    lineStyle: { color: palette.ink, width },
    itemStyle: { color: palette.ink },
    connectNulls: false,
    data: ends.flatMap(([low = null, high = null], row) => [
      [low, row],
      [high, row],
      [null, row],
    ]),
  }
}
