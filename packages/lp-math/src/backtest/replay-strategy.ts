import type { Bars } from '../bars/bars.ts'
import type { BacktestOptions } from './backtest-options.ts'
import type { BacktestStrategy } from './backtest-strategy.ts'
import { equityMetrics } from './equity-metrics.ts'
import { feeUncertaintyPct } from './fee-uncertainty-pct.ts'
import { holdUntilRebalance } from './hold-until-rebalance.ts'
import { columnAt, type MarketColumns } from './market-columns.ts'
import { movePosition } from './move-position.ts'
import { amount0Of, amount1Of, openPosition, type Position } from './open-position.ts'
import { strategyRange } from './strategy-range.ts'
import type { StrategyReplay } from './strategy-replay.ts'
import type { Rebalance, StrategyResult } from './strategy-result.ts'
import { strategyTicks } from './strategy-ticks.ts'
import { valuePosition } from './value-position.ts'

/** Replays one strategy over checked bars; see `replayStrategies`. */
export function replayStrategy(
  bars: Bars,
  strategy: BacktestStrategy,
  options: BacktestOptions,
  market: MarketColumns,
): StrategyResult {
  const column = () => new Float64Array(bars.startsAt.length)
  const equity = column()
  const fees = { share: column(), fee0: column(), fee1: column() }
  const course = options.withBarEquity === true ? { feesUsd: column(), ilUsd: column() } : null
  const replay: StrategyReplay = { bars, strategy, options, market, fees, equity, course }
  const first = firstPosition(replay)
  const held = holdAndMove(replay, first)
  const earned = collectFees(replay)
  const closeGasUsd = columnAt(options.gasUsd.close, equity.length - 1)
  equity[equity.length - 1] = (equity.at(-1) ?? 0) - closeGasUsd
  const { openGasUsd, rebalanceGasUsd, spannedUsd, ...parts } = held
  return {
    name: strategy.name,
    firstRange: strategyRange(first, options),
    firstLiquidityShare: first.liquidity / (first.liquidity + market.usualLiquidity),
    ...parts,
    feesEarnedUsd: earned.feesUsd,
    feesEarned0: earned.fees0,
    feesEarned1: earned.fees1,
    feeUncertaintyPct: feeUncertaintyPct(earned.feesUsd > 0 ? spannedUsd / earned.feesUsd : 0),
    gasUsd: openGasUsd + rebalanceGasUsd + closeGasUsd,
    rebalanceGasUsd,
    inRangePct: earned.inRangePct,
    ...compare(replay, first),
    ...equityMetrics(bars, equity, options.startValueUsd),
    barEquityUsd: course === null ? null : equity,
    barFeesUsd: course?.feesUsd ?? null,
    barIlUsd: course?.ilUsd ?? null,
  }
}

function firstPosition({ bars, strategy, options, market }: StrategyReplay): Position {
  const { baseToken, tickSpacing, startValueUsd } = options
  const ticks = strategyTicks(bars.closeTick[0] ?? 0, strategy.rangePct, baseToken, tickSpacing)
  const usd = { usd0: market.usd0[0] ?? 0, usd1: market.usd1[0] ?? 0 }
  return openPosition(ticks, startValueUsd, market.sqrtPrice[0] ?? 0, usd)
}

/** Positions one after another until the last bar: their costs summed, and the moves between them. */
function holdAndMove(replay: StrategyReplay, first: Position) {
  const { bars, options } = replay
  const openGasUsd = columnAt(options.gasUsd.open, 0)
  const rebalances: Rebalance[] = []
  const sums = { ilCostUsd: 0, hodlMoveUsd: 0, lvrUsd: 0, spannedUsd: 0, swapCostUsd: 0, rebalanceGasUsd: 0 }
  let position = first
  let putOffSeconds = 0
  for (let mintBar = 0; mintBar < bars.startsAt.length - 1;) {
    const { endBar, putOffBars } = holdUntilRebalance(replay, position, mintBar)
    putOffSeconds += putOffBars * bars.barSeconds
    const gasUsd = openGasUsd + sums.rebalanceGasUsd
    const closed = valuePosition(replay, position, { mintBar, endBar, gasUsd, ilUsd: sums.ilCostUsd })
    sums.ilCostUsd += closed.ilCostUsd
    sums.hodlMoveUsd += closed.hodlMoveUsd
    sums.lvrUsd += closed.lvrUsd
    sums.spannedUsd += closed.spannedUsd
    if (endBar < bars.startsAt.length - 1) {
      const moved = movePosition(replay, position, endBar)
      const rebalanceGasUsd = columnAt(options.gasUsd.rebalance, endBar)
      sums.swapCostUsd += moved.swapCostUsd
      sums.rebalanceGasUsd += rebalanceGasUsd
      rebalances.push({
        at: (bars.startsAt[endBar] ?? 0) + bars.barSeconds,
        before: strategyRange(position, options),
        after: strategyRange(moved.position, options),
        gasUsd: rebalanceGasUsd,
        swapCostUsd: moved.swapCostUsd,
      })
      position = moved.position
    }
    mintBar = endBar
  }
  return { ...sums, openGasUsd, rebalances, putOffSeconds }
}

/** Adds to the equity what fees were earned by each bar's close, and sums them. */
function collectFees({ fees, market, equity, course }: StrategyReplay) {
  let fees0 = 0
  let fees1 = 0
  let feesUsd = 0
  let shares = 0
  for (let bar = 1; bar < equity.length; bar++) {
    fees0 += fees.fee0[bar] ?? 0
    fees1 += fees.fee1[bar] ?? 0
    shares += fees.share[bar] ?? 0
    feesUsd = fees0 * (market.usd0[bar] ?? 0) + fees1 * (market.usd1[bar] ?? 0)
    equity[bar] = (equity[bar] ?? 0) + feesUsd
    if (course !== null) course.feesUsd[bar] = feesUsd
  }
  return { fees0, fees1, feesUsd, inRangePct: (shares / (equity.length - 1)) * 100 }
}

/** The end against the begin, against the first position's tokens held, and against half and half held. */
function compare({ market, equity, options }: StrategyReplay, first: Position) {
  const last = equity.length - 1
  const start = options.startValueUsd
  const sqrtPrice = market.sqrtPrice[0] ?? 0
  const [end0, end1] = [market.usd0[last] ?? 0, market.usd1[last] ?? 0]
  const endValueUsd = equity[last] ?? 0
  const hodlEndValueUsd = amount0Of(first, sqrtPrice) * end0 + amount1Of(first, sqrtPrice) * end1
  const halves = (start / 2) * (end0 / (market.usd0[0] ?? 0) + end1 / (market.usd1[0] ?? 0))
  return {
    endValueUsd,
    netReturnPct: (endValueUsd / start - 1) * 100,
    hodlEndValueUsd,
    vsHodlPct: (endValueUsd / hodlEndValueUsd - 1) * 100,
    versus5050Pct: (endValueUsd / halves - 1) * 100,
  }
}
