import type { Bars } from '../bars/bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import { checkFee, traversedShare } from './backtest-options.ts'

/**
 * Fees that a position in one range earned over bars, diluted by its own liquidity, in smallest units and in doubles: what
 * `accrueFees` writes, summed on the way. The bars are taken to be sound (`checkBars`).
 * @throws LpMathError `RANGE_EMPTY`, `LIQUIDITY_OUT_OF_RANGE`, `FEE_OUT_OF_RANGE`.
 */
export function replayFees(bars: Bars, position: ReplayedPosition): ReplayedFees {
  checkPosition(position)
  const { tickLower, tickUpper, feePips, protocolFeeShare = 0, fromBar = 0 } = position
  const fee = (feePips / 1e6) * (1 - protocolFeeShare)
  const count = bars.lowTick.length
  const sums = { amount0: 0, amount1: 0, shares: 0, spans0: 0, spans1: 0 }
  for (let from = fromBar; from < count; from += BARS_AT_ONCE) {
    addFees(sums, bars, position, fee, from, Math.min(count, from + BARS_AT_ONCE))
  }
  const { amount0, amount1 } = sums
  // Each leg's mean span, since amounts of two tokens have no sum.
  const spans = [amount0 > 0 ? sums.spans0 / amount0 : null, amount1 > 0 ? sums.spans1 / amount1 : null]
  const known = spans.filter((span) => span !== null)
  const span = known.reduce((sum, one) => sum + one, 0) / Math.max(1, known.length)
  const inRangeShare = sums.shares / Math.max(1, count - fromBar)
  return { amount0, amount1, inRangeShare, feeUncertaintyPct: feeUncertaintyPct(span / (tickUpper - tickLower)) }
}

/** `fromBar` is the first bar that earns, 0 by default: the bar after the one in which the position was minted. */
export type ReplayedPosition = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: number
  readonly feePips: number
  readonly protocolFeeShare?: number
  readonly fromBar?: number
}

/** Amounts in smallest units; `inRangeShare` is of the time from `fromBar` on, as a fraction. */
export type ReplayedFees = {
  readonly amount0: number
  readonly amount1: number
  readonly inRangeShare: number
  /** How far the amounts may lie off, in percent of them; see `feeUncertaintyPct`. */
  readonly feeUncertaintyPct: number
}

/**
 * How far replayed fees may lie from what the position earned, in percent of them: the span of a bar in percent of the width of the
 * range, both in ticks, each bar weighted by the fees it brought; at most 100.
 *
 * What a bar cannot tell is which part of its trade fell into the range. On the minutes of a real pool (USDC/WETH 0.05 %, five days),
 * in bars of 5 minutes, 15 minutes, an hour, four hours and a day alike, the fees of at least 19 of 20 ranges, 1 to 50 % wide and
 * placed anywhere about the prices seen, lie within this bound of those by minutes.
 */
export function feeUncertaintyPct(spanOverWidth: number): number {
  return Math.min(100, 100 * spanOverWidth)
}

function checkPosition(position: ReplayedPosition): void {
  const { tickLower, tickUpper, liquidity, fromBar = 0 } = position
  if (!(tickLower < tickUpper)) throw new LpMathError('RANGE_EMPTY', 'tickLower is below tickUpper.')
  if (!(liquidity > 0 && liquidity < Infinity)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'liquidity is finite and above 0.')
  }
  if (!Number.isInteger(fromBar) || fromBar < 0) {
    throw new LpMathError('BACKTEST_OPTION_OUT_OF_RANGE', 'fromBar is an integer of at least 0.')
  }
  checkFee(position)
}

type Sums = { amount0: number; amount1: number; shares: number; spans0: number; spans1: number }

/** Called often rather than once for long: a loop that V8 optimises only while it runs was up to four times as slow. */
const BARS_AT_ONCE = 1440

function addFees(
  sums: Sums,
  bars: Bars,
  position: ReplayedPosition,
  fee: number,
  fromBar: number,
  toBar: number,
): void {
  const { tickLower, tickUpper, liquidity: own } = position
  const { lowTick, highTick, liquidity, feeGrowth } = bars
  const source0 = feeGrowth === null ? bars.amount0In : feeGrowth.token0
  const source1 = feeGrowth === null ? bars.amount1In : feeGrowth.token1
  let amount0 = 0
  let amount1 = 0
  let shares = 0
  let spans0 = 0
  let spans1 = 0
  for (let bar = fromBar; bar < toBar; bar++) {
    const low = lowTick[bar] ?? 0
    const high = highTick[bar] ?? 0
    const there = liquidity[bar] ?? 0
    const inRange = traversedShare(low, high, tickLower, tickUpper)
    const paid = there > 0 ? (inRange * own * (feeGrowth === null ? fee : there)) / (there + own) : 0
    const earned0 = (source0[bar] ?? 0) * paid
    const earned1 = (source1[bar] ?? 0) * paid
    amount0 += earned0
    amount1 += earned1
    shares += inRange
    spans0 += (high - low) * earned0
    spans1 += (high - low) * earned1
  }
  sums.amount0 += amount0
  sums.amount1 += amount1
  sums.shares += shares
  sums.spans0 += spans0
  sums.spans1 += spans1
}
