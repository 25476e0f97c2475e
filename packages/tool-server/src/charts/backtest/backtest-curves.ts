import type { BacktestResult, StrategyResult } from '@svc/lp-math'

/**
 * What the picture of a replay is drawn from. HODL is half of the start value in each token; long columns are thinned to what can be
 * distinguished, and so are ranges that were held for less than a point of the drawing.
 */
export function backtestCurves(replay: Replay): BacktestCurves {
  const { result, startValueUsd, price, quoteUsd, startsAt, barSeconds, ...facts } = replay
  const last = price.length - 1
  const step = Math.max(1, Math.ceil(last / mostPoints))
  const shown = price.flatMap((_, bar) => (bar % step === 0 || bar === last ? [bar] : []))
  const closes = shown.map((bar) => ({ at: startsAt + (bar + 1) * barSeconds, bar }))
  const quoteAt = (bar: number) => (typeof quoteUsd === 'number' ? quoteUsd : (quoteUsd[bar] ?? 0)) || 1
  const priceAt = (bar: number) => price[bar] ?? 0
  const growth = (bar: number) => ((quoteAt(bar) / quoteAt(0)) * (1 + priceAt(bar) / priceAt(0))) / 2
  const barAt = (at: number) => Math.round((at - startsAt) / barSeconds) - 1
  return {
    ...facts,
    prices: closes.map(({ at, bar }) => ({ at, price: priceAt(bar) })),
    hodl: paceOf(result, closes, barAt).map(({ at, bar }) => ({ at, valueUsd: startValueUsd * growth(bar) })),
    strategies: result.strategies.map((one) => curveOf(one, result.startsAt, closes)),
  }
}

export type Replay = Pick<BacktestCurves, 'pair' | 'chain' | 'fee' | 'caption'> & {
  readonly result: BacktestResult
  readonly startValueUsd: number
  /** Of token0 in token1, at the close of each bar. */
  readonly price: readonly number[]
  /** US dollars of token1, one for all bars or one for each. */
  readonly quoteUsd: number | Float64Array
  /** Unix seconds of the first bar. */
  readonly startsAt: number
  readonly barSeconds: number
}

type Close = { readonly at: number; readonly bar: number }

const mostPoints = 400
const mostMoves = 200
/** Of the points: sums move less than values. */
const courseEvery = 3

/** Holding is shown as often as the strategies: at the bars that are shown, or at each day where the replay kept no more. */
function paceOf(result: BacktestResult, closes: readonly Close[], barAt: (at: number) => number): readonly Close[] {
  const [one] = result.strategies
  if (one === undefined || one.barEquityUsd !== null) return closes
  return one.equity.map(({ at }) => ({ at, bar: barAt(at) }))
}

/** Its value at the bars that are shown where the replay kept it, else at each day. */
function curveOf(one: StrategyResult, startsAt: number, closes: readonly Close[]): StrategyCurve {
  const { barEquityUsd, barFeesUsd, barIlUsd } = one
  const drawn = (column: Float64Array, every = 1) =>
    closes
      .filter((_, index) => index % every === 0 || index === closes.length - 1)
      .map(({ at, bar }) => ({ at, valueUsd: column[bar] ?? 0 }))
  return {
    name: one.name,
    netReturnPct: one.netReturnPct,
    feesEarnedUsd: one.feesEarnedUsd,
    feeUncertaintyPct: one.feeUncertaintyPct,
    equity: barEquityUsd === null ? one.equity : drawn(barEquityUsd),
    ...(barFeesUsd !== null && { fees: drawn(barFeesUsd, courseEvery) }),
    ...(barIlUsd !== null && { il: drawn(barIlUsd, courseEvery) }),
    ranges: thinned([
      rangeFrom(startsAt, one.firstRange),
      ...one.rebalances.map(({ at, after }) => rangeFrom(at, after)),
    ]),
  }
}

/** The first range, and of the moves the last in each of as many equal stretches of time as can be distinguished. */
function thinned(ranges: readonly TimedRange[]): readonly TimedRange[] {
  const from = ranges[0]?.at ?? 0
  const until = ranges.at(-1)?.at ?? 0
  if (ranges.length <= mostMoves + 1 || until <= from) return ranges
  const stretchOf = (range: TimedRange) => Math.floor(((range.at - from) / (until - from)) * (mostMoves - 1))
  return ranges.filter((range, index) => {
    const next = ranges[index + 1]
    return index === 0 || next === undefined || stretchOf(next) > stretchOf(range)
  })
}

function rangeFrom(at: number, { lower, upper }: { readonly lower: number; readonly upper: number }): TimedRange {
  return { at, lower, upper: upper === Infinity ? 'Infinity' : upper }
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
  /** Earned in fees until then, and lost until then against the tokens put in; absent where the replay kept neither. */
  readonly fees?: readonly TimedValue[]
  readonly il?: readonly TimedValue[]
  /** Each range from when it was opened; from 0 and without an upper price for the full one. The first opens the strategy, the others are rebalances, of those close together the last. */
  readonly ranges: readonly TimedRange[]
}

export type TimedRange = { readonly at: number; readonly lower: number; readonly upper: number | 'Infinity' }
