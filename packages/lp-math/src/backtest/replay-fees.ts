import type { Bars } from '../bars/bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import { accrueFees, type FeeColumns } from './accrue-fees.ts'
import { checkFee } from './backtest-options.ts'
import { feeUncertaintyPct } from './fee-uncertainty-pct.ts'

/**
 * Fees that a position in one range earned over bars, diluted by its own liquidity, in smallest units and in doubles.
 * The bars are taken to be sound (`checkBars`). Pass `columns` to write into arrays of your own.
 * @throws LpMathError `RANGE_EMPTY`, `LIQUIDITY_OUT_OF_RANGE`, `FEE_OUT_OF_RANGE`.
 */
export function replayFees(bars: Bars, position: ReplayedPosition, columns = feeColumns(bars)): ReplayedFees {
  const { tickLower, tickUpper, liquidity, feePips, protocolFeeShare = 0, fromBar = 0 } = position
  if (!(tickLower < tickUpper)) throw new LpMathError('RANGE_EMPTY', 'tickLower is below tickUpper.')
  if (!(liquidity > 0 && liquidity < Infinity)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'liquidity is finite and above 0.')
  }
  checkFee({ feePips, protocolFeeShare })
  const count = bars.startsAt.length
  accrueFees(
    bars,
    { tickLower, tickUpper, liquidity, fee: (feePips / 1e6) * (1 - protocolFeeShare) },
    fromBar,
    count,
    columns,
  )
  return { ...columns, ...totals(bars, columns, fromBar, tickUpper - tickLower) }
}

/** `fromBar` is the first bar that earns, 0 unless told: the bar after the one in which the position was minted. */
export type ReplayedPosition = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: number
  readonly feePips: number
  readonly protocolFeeShare?: number
  readonly fromBar?: number
}

/** Sums, and what each bar brought. `inRangeShare` is of the time from `fromBar` on. */
export type ReplayedFees = FeeColumns & {
  readonly amount0: number
  readonly amount1: number
  readonly inRangeShare: number
  readonly feeUncertaintyPct: number
}

/** Arrays for `bars`, all zero. */
export function feeColumns(bars: Bars): FeeColumns {
  const count = bars.startsAt.length
  return { share: new Float64Array(count), fee0: new Float64Array(count), fee1: new Float64Array(count) }
}

function totals(bars: Bars, columns: FeeColumns, fromBar: number, width: number) {
  let amount0 = 0
  let amount1 = 0
  let share = 0
  let spans0 = 0
  let spans1 = 0
  for (let bar = fromBar; bar < columns.share.length; bar++) {
    const span = (bars.highTick[bar] ?? 0) - (bars.lowTick[bar] ?? 0)
    amount0 += columns.fee0[bar] ?? 0
    amount1 += columns.fee1[bar] ?? 0
    share += columns.share[bar] ?? 0
    spans0 += span * (columns.fee0[bar] ?? 0)
    spans1 += span * (columns.fee1[bar] ?? 0)
  }
  // Each leg's mean span, since amounts of two tokens have no sum.
  const legs = [amount0 > 0 ? spans0 / amount0 : null, amount1 > 0 ? spans1 / amount1 : null].filter(
    (leg) => leg !== null,
  )
  const span = legs.reduce((sum, leg) => sum + leg, 0) / Math.max(1, legs.length)
  const inRangeShare = share / Math.max(1, columns.share.length - fromBar)
  return { amount0, amount1, inRangeShare, feeUncertaintyPct: feeUncertaintyPct(span / width) }
}
