import type { Bars } from '../bars/bars.ts'
import { LpMathError, requireFeePips } from '../lp-math-error.ts'
import { requireTickSpacing } from '../ticks/ticks.ts'
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
