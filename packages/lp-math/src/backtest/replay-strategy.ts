import type { Bars } from '../bars/bars.ts'
import type { EventAmounts } from '../pool-replay/pool-event.ts'
import {
  type FeesBySwap,
  type Rebalance,
  type StrategyRange,
  type StrategyResult,
  equityMetrics,
} from './strategy-result.ts'
import { type SwapFees, accrueFees } from './position-fees.ts'
import { fullRangeTicks, type TickRange } from '../ticks/ticks.ts'
import {
  type BacktestOptions,
  columnAt,
  LN_TICK,
  type MarketColumns,
  type BacktestStrategy,
  strategyTicks,
} from './backtest-options.ts'
import { feeUncertaintyPct } from './replay-fees.ts'
import { movePosition, type StrategyReplay, valuePosition } from './move-position.ts'
import { amount0Of, amount1Of, openPosition, type Position } from './open-position.ts'

/** Replays one strategy over checked bars; see `replayStrategies`. */
export function replayStrategy(
  bars: Bars,
  strategy: BacktestStrategy,
  options: BacktestOptions,
  { market, swapFees }: ReplaySources,
): StrategyResult {
  const column = () => new Float64Array(bars.startsAt.length)
  const feeColumns = () => ({ share: column(), fee0: column(), fee1: column() })
  const equity = column()
  const fees = feeColumns()
  const course = options.withBarEquity === true ? { feesUsd: column(), ilUsd: column() } : null
  const bySwap = swapFees === null ? null : { swapFees, barFees: feeColumns() }
  const replay: StrategyReplay = { bars, strategy, options, market, fees, bySwap, equity, course }
  const first = firstPosition(replay)
  const held = holdAndMove(replay, first)
  const earned = collectFees(replay)
  const closeGasUsd = columnAt(options.gasUsd.close, equity.length - 1)
  equity[equity.length - 1] = (equity.at(-1) ?? 0) - closeGasUsd
  const { openGasUsd, rebalanceGasUsd, spannedUsd, exact, ...parts } = held
  const spanned = bySwap === null && earned.feesUsd > 0 ? spannedUsd / earned.feesUsd : 0
  return {
    name: strategy.name,
    firstRange: strategyRange(first, options),
    firstLiquidityShare: first.liquidity / (first.liquidity + market.usualLiquidity),
    ...parts,
    feesEarnedUsd: earned.feesUsd,
    feesEarned0: earned.fees0,
    feesEarned1: earned.fees1,
    feeUncertaintyPct: feeUncertaintyPct(spanned),
    gasUsd: openGasUsd + rebalanceGasUsd + closeGasUsd,
    rebalanceGasUsd,
    inRangePct: earned.inRangePct,
    ...compare(replay, first),
    ...equityMetrics(bars, equity, options.startValueUsd),
    barEquityUsd: course === null ? null : equity,
    barFeesUsd: course?.feesUsd ?? null,
    barIlUsd: course?.ilUsd ?? null,
    bySwap: compareWithBars(replay, exact, earned.feesUsd),
  }
}

/** `swapFees` is `null` where fees are counted by bars. */
type ReplaySources = { readonly market: MarketColumns; readonly swapFees: SwapFees | null }

/** What bars would have said of the same positions. */
function compareWithBars({ bySwap, market }: StrategyReplay, exact: EventAmounts, feesUsd: number): FeesBySwap | null {
  if (bySwap === null) return null
  const last = market.usd0.length - 1
  const { fee0, fee1 } = bySwap.barFees
  const sum = (column: Float64Array) => column.subarray(1).reduce((whole, fee) => whole + fee, 0)
  const feesByBarsUsd = sum(fee0) * (market.usd0[last] ?? 0) + sum(fee1) * (market.usd1[last] ?? 0)
  const feesDifferenceUsd = feesByBarsUsd - feesUsd
  const feesDifferencePct = feesUsd > 0 ? (feesDifferenceUsd / feesUsd) * 100 : null
  return { fees0: exact.amount0, fees1: exact.amount1, feesByBarsUsd, feesDifferenceUsd, feesDifferencePct }
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
  const exact = { amount0: 0n, amount1: 0n }
  let position = first
  let putOffSeconds = 0
  for (let mintBar = 0; mintBar < bars.startsAt.length - 1;) {
    const { endBar, putOffBars, fees } = holdUntilRebalance(replay, position, mintBar)
    putOffSeconds += putOffBars * bars.barSeconds
    exact.amount0 += fees.amount0
    exact.amount1 += fees.amount1
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
  return { ...sums, exact, openGasUsd, rebalances, putOffSeconds }
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

/** Ticks with the prices of the base token that they stand for; the full range is 0 to Infinity. */
function strategyRange({ tickLower, tickUpper }: TickRange, options: BacktestOptions): StrategyRange {
  const full = fullRangeTicks(options.tickSpacing)
  if (tickLower === full.tickLower && tickUpper === full.tickUpper) {
    return { lower: 0, upper: Infinity, tickLower, tickUpper }
  }
  const priceAt = (tick: number) => Math.exp(tick * LN_TICK) * 10 ** (options.decimals0 - options.decimals1)
  return options.baseToken === 0
    ? { lower: priceAt(tickLower), upper: priceAt(tickUpper), tickLower, tickUpper }
    : { lower: 1 / priceAt(tickUpper), upper: 1 / priceAt(tickLower), tickLower, tickUpper }
}

/**
 * Earns the fees of a position from the bar after `mintBar` on, and gives the bar at whose close it is to be moved, or the last bar.
 * What stands in the fee columns after that bar is of no meaning.
 */
function holdUntilRebalance(replay: StrategyReplay, position: Position, mintBar: number): Held {
  const { bars, strategy, options, fees, bySwap } = replay
  const last = bars.startsAt.length - 1
  const windowBars = Math.max(1, Math.round(86_400 / bars.barSeconds))
  const threshold = strategy.rebalanceThresholdPct
  const enough = threshold === null ? Infinity : Math.max(ROUNDING, (threshold / 100) * windowBars - ROUNDING)
  const held = bySwap?.swapFees.hold(position) ?? null
  const ended = (endBar: number, putOff: number): Held => {
    return { endBar, putOffBars: putOff, fees: held?.feesUntil(mintBar, endBar) ?? uncounted }
  }
  const accruing = { ...position, fee: (options.feePips / 1e6) * (1 - (options.protocolFeeShare ?? 0)) }
  let accruedTo = mintBar + 1
  let barsOut = 0
  let putOffBars = 0
  for (let bar = mintBar + 1; bar <= last; bar++) {
    if (bar === accruedTo) {
      accruedTo = Math.min(last + 1, bar + BARS_AT_ONCE)
      accrueFees(bars, accruing, bar, accruedTo, bySwap?.barFees ?? fees)
      held?.accrue(bar, accruedTo, fees)
    }
    barsOut += 1 - (fees.share[bar] ?? 0)
    const leaving = bar - windowBars
    if (leaving > mintBar) barsOut -= 1 - (fees.share[leaving] ?? 0)
    const isDue = barsOut >= enough && bar > mintBar + 1 && bar < last
    if (isDue && isAffordable(replay, position, bar)) return ended(bar, putOffBars)
    if (isDue) putOffBars += 1
  }
  return ended(last, putOffBars)
}

/** `putOffBars` are those after which a move was due and cost too much; `fees` are counted swap by swap, or not at all. */
type Held = { readonly endBar: number; readonly putOffBars: number; readonly fees: EventAmounts }

const uncounted: EventAmounts = { amount0: 0n, amount1: 0n }

/** Whether the pool has the liquidity to swap what a move asks for at a price that somebody would take. */
function isAffordable(replay: StrategyReplay, position: Position, bar: number): boolean {
  if ((replay.bars.liquidity[bar] ?? 0) === 0) return false
  const { closedUsd, swapCostUsd } = movePosition(replay, position, bar)
  return swapCostUsd <= MOST_SWAP_COST * closedUsd
}

/** Of the position: what costs more is put off. */
const MOST_SWAP_COST = 0.1

/** Sums of shares carry rounding: what is out by less is in. */
const ROUNDING = 1e-9

/** Few enough that a move soon after wastes little, many enough that the inner loop is what runs. */
const BARS_AT_ONCE = 1440
