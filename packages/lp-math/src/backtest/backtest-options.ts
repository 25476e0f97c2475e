import type { Bars } from '../bars/bars.ts'
import { LpMathError, requireFeePips } from '../lp-math-error.ts'
import { requireTickSpacing, fullRangeTicks, type TickRange } from '../ticks/ticks.ts'
import type { PoolTrade } from './record-trade.ts'

/** What a backtest must know of the pool, the tokens and the costs. Columns have one entry for each bar, as of its close. */
export type BacktestOptions = {
  /** Put into each strategy, in the ratio that its first range asks for. */
  readonly startValueUsd: number
  /** The pool's whole fee in millionths of the input, protocol's part included. */
  readonly feePips: number
  /** The protocol's part of the fee, as a fraction; 0 by default. Fee growth in the bars is without it already. */
  readonly protocolFeeShare?: number
  readonly tickSpacing: number
  readonly decimals0: number
  readonly decimals1: number
  /** The token whose price ranges are given in: 0 for token1 per token0, 1 for token0 per token1. */
  readonly baseToken: 0 | 1
  /** US dollars for one whole unit of the other token, the quote. */
  readonly quoteUsd: number | Float64Array
  readonly gasUsd: GasUsd
  /** Also the equity, the fees and the impermanent loss at the close of every bar. */
  readonly withBarEquity?: boolean
  /**
   * What fees and time in range are counted by: `bar` by default. With `swap` each step of each swap of `trade` is shared by who was there
   * and the position, in whole units; prices, rebalances and costs stay at the closes of bars, which should be made of the same swaps.
   */
  readonly resolution?: 'bar' | 'swap'
  /** What the pool traded in the time of the bars: with `resolution: 'swap'` alone. */
  readonly trade?: PoolTrade
}

/** Gas in US dollars: to open a position, to close it at the end, and to close, swap and open again. */
export type GasUsd = {
  readonly open: number | Float64Array
  readonly close: number | Float64Array
  readonly rebalance: number | Float64Array
}

/**
 * @throws LpMathError `BACKTEST_OPTION_OUT_OF_RANGE` naming the option, `FEE_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`,
 * `TICK_SPACING_OUT_OF_RANGE`.
 */
export function checkBacktestOptions(options: BacktestOptions, bars: Bars): void {
  const barCount = bars.startsAt.length
  checkResolution(options, bars)
  const { startValueUsd, decimals0, decimals1, baseToken, quoteUsd, gasUsd } = options
  if (!(startValueUsd > 0 && startValueUsd < Infinity)) throw outOfRange('startValueUsd is finite and above 0.')
  checkFee(options)
  requireTickSpacing(options.tickSpacing)
  for (const decimals of [decimals0, decimals1]) {
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
      throw new LpMathError('DECIMALS_OUT_OF_RANGE', 'Decimals are an integer within 0 and 255.')
    }
  }
  if (baseToken !== 0 && baseToken !== 1) throw outOfRange('baseToken is 0 or 1.')
  checkColumn('quoteUsd', quoteUsd, barCount, Number.MIN_VALUE)
  for (const [name, column] of Object.entries(gasUsd)) checkColumn(`gasUsd.${name}`, column, barCount, 0)
}

function checkResolution({ resolution = 'bar', trade }: BacktestOptions, { startsAt, barSeconds }: Bars): void {
  if (resolution !== 'bar' && resolution !== 'swap') throw outOfRange("resolution is 'bar' or 'swap'.")
  if ((resolution === 'swap') !== (trade !== undefined)) {
    throw outOfRange("trade is given with resolution 'swap', and with no other.")
  }
  if (trade === undefined) return
  const [first, last] = [startsAt[0] ?? 0, startsAt.at(-1) ?? 0]
  if (trade.startsAt > first || trade.endsAt < last + barSeconds) {
    throw outOfRange('trade spans the time of all bars.')
  }
}

/** @throws LpMathError `FEE_OUT_OF_RANGE`. */
export function checkFee({
  feePips,
  protocolFeeShare = 0,
}: Pick<BacktestOptions, 'feePips' | 'protocolFeeShare'>): void {
  requireFeePips(feePips)
  if (!(protocolFeeShare >= 0 && protocolFeeShare <= 1)) {
    throw new LpMathError('FEE_OUT_OF_RANGE', 'protocolFeeShare is a fraction, within 0 and 1.')
  }
}

function checkColumn(name: string, column: number | Float64Array, barCount: number, least: number): void {
  if (typeof column === 'number') {
    if (!(column >= least && column < Infinity)) throw outOfRange(`${name} is finite and ${bound(least)}.`)
    return
  }
  if (column.length !== barCount) throw outOfRange(`${name} has one entry for each of the ${barCount} bars.`)
  const wrong = column.findIndex((value) => !(value >= least && value < Infinity))
  if (wrong >= 0) throw outOfRange(`${name}[${wrong}] is finite and ${bound(least)}.`)
}

function bound(least: number): string {
  return least === 0 ? 'at least 0' : 'above 0'
}

function outOfRange(message: string): LpMathError {
  return new LpMathError('BACKTEST_OPTION_OUT_OF_RANGE', message)
}

/** A rule for a position: how wide its range is around the price, and when it is moved. */
export type BacktestStrategy = {
  readonly name: string
  /** Full width of the range in percent of the price, below 200: 10 is 5 % to each side. `null` is the full range. */
  readonly rangePct: number | null
  /** Share of the trailing 24 hours out of range, in percent, at which the position is moved; `null` is never. */
  readonly rebalanceThresholdPct: number | null
}

/** @throws LpMathError `STRATEGY_MALFORMED`, naming the strategy and its member. */
export function checkStrategies(strategies: readonly BacktestStrategy[]): void {
  if (strategies.length === 0) throw malformed('strategies holds at least one strategy.')
  const names = new Set<string>()
  for (const [index, { name, rangePct, rebalanceThresholdPct }] of strategies.entries()) {
    if (name === '') throw malformed(`strategies[${index}].name is not empty.`)
    if (names.has(name)) throw malformed(`strategies[${index}].name is not that of an earlier strategy.`)
    names.add(name)
    if (rangePct !== null && !(rangePct > 0 && rangePct < 200)) {
      throw malformed(`strategies[${index}].rangePct is above 0 and below 200, or null for the full range.`)
    }
    if (rebalanceThresholdPct !== null && !(rebalanceThresholdPct >= 0 && rebalanceThresholdPct <= 100)) {
      throw malformed(`strategies[${index}].rebalanceThresholdPct is within 0 and 100, or null for never.`)
    }
  }
}

/**
 * Ticks of a range `rangePct` wide around the price at `tick`, half to each side in the price of the base token, at the nearest
 * usable ticks, and at least the usable ticks around the price.
 */
export function strategyTicks(tick: number, rangePct: number | null, baseToken: 0 | 1, tickSpacing: number): TickRange {
  const full = fullRangeTicks(tickSpacing)
  if (rangePct === null) return full
  const down = Math.log1p(-rangePct / 200) / LN_TICK
  const up = Math.log1p(rangePct / 200) / LN_TICK
  const [below, above] = baseToken === 0 ? [down, up] : [-up, -down]
  const spaced = (at: number) => Math.round(at / tickSpacing) * tickSpacing
  const floor = Math.floor(tick / tickSpacing) * tickSpacing
  const tickLower = within(Math.min(spaced(tick + below), floor), full.tickLower, full.tickUpper - tickSpacing)
  const tickUpper = within(Math.max(spaced(tick + above), floor + tickSpacing), tickLower + tickSpacing, full.tickUpper)
  return { tickLower, tickUpper }
}

/**
 * Share of a bar that its price spent in a range, each tick between low and high taken to have seen as much of the trade as another. A
 * price that stands on a tick is in or out; the upper tick of a range is out.
 */
export function traversedShare(lowTick: number, highTick: number, tickLower: number, tickUpper: number): number {
  if (lowTick >= tickLower && highTick < tickUpper) return 1
  if (highTick <= tickLower || lowTick >= tickUpper) return 0
  return (Math.min(highTick, tickUpper) - Math.max(lowTick, tickLower)) / (highTick - lowTick)
}

function malformed(message: string): LpMathError {
  return new LpMathError('STRATEGY_MALFORMED', message)
}

function within(value: number, least: number, most: number): number {
  // Adding 0 makes a negative zero a plain one.
  return Math.min(most, Math.max(least, value)) + 0
}

/** Prices at the close of each bar: the sqrt price in smallest units, and US dollars for one smallest unit of each token; and the usual liquidity. */
export function marketColumns(bars: Bars, options: BacktestOptions): MarketColumns {
  const { baseToken, decimals0, decimals1, quoteUsd } = options
  const sqrtPrice = bars.closeTick.map((tick) => Math.exp((tick * LN_TICK) / 2))
  const unit = 10 ** -(baseToken === 0 ? decimals1 : decimals0)
  const quote = new Float64Array(sqrtPrice.length)
  const base = new Float64Array(sqrtPrice.length)
  for (let bar = 0; bar < sqrtPrice.length; bar++) {
    const root = sqrtPrice[bar] ?? 0
    const usd = columnAt(quoteUsd, bar) * unit
    quote[bar] = usd
    base[bar] = baseToken === 0 ? usd * root * root : usd / (root * root)
  }
  const usualLiquidity = bars.liquidity.toSorted()[Math.floor(bars.liquidity.length / 2)] ?? 0
  const [usd0, usd1] = baseToken === 0 ? [base, quote] : [quote, base]
  return { sqrtPrice, usd0, usd1, usualLiquidity }
}

export type MarketColumns = {
  readonly sqrtPrice: Float64Array
  readonly usd0: Float64Array
  readonly usd1: Float64Array
  /** Of the bar in the middle: a pool's first hours hold hardly any. */
  readonly usualLiquidity: number
}

export const LN_TICK = Math.log(1.0001)

/** The entry of a column that may be one number for all bars. */
export function columnAt(column: number | Float64Array, bar: number): number {
  return typeof column === 'number' ? column : (column[bar] ?? 0)
}
