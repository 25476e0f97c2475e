import type { Bars } from '../bars/bars.ts'
import { traversedShare } from './backtest-strategy.ts'

/**
 * Writes into `columns`, for the bars from `fromBar` to before `toBar`, the share of each bar that its price spent in the range and the
 * fees that a position of `liquidity` earned in it, in smallest units.
 *
 * The position's own liquidity dilutes what was there: input * fee * share * L / (liquidity + L), or, where the fee growth is known,
 * growth * share * L * liquidity / (liquidity + L). A bar without liquidity has no trade to earn from, whatever its input says.
 */
export function accrueFees(
  bars: Bars,
  position: AccruingPosition,
  fromBar: number,
  toBar: number,
  columns: FeeColumns,
): void {
  const { lowTick, highTick, liquidity, feeGrowth } = bars
  const { tickLower, tickUpper, liquidity: own, fee } = position
  const { share, fee0, fee1 } = columns
  const source0 = feeGrowth === null ? bars.amount0In : feeGrowth.token0
  const source1 = feeGrowth === null ? bars.amount1In : feeGrowth.token1
  for (let bar = fromBar; bar < toBar; bar++) {
    const there = liquidity[bar] ?? 0
    const inRange = traversedShare(lowTick[bar] ?? 0, highTick[bar] ?? 0, tickLower, tickUpper)
    const paid = there > 0 ? (inRange * own * (feeGrowth === null ? fee : there)) / (there + own) : 0
    share[bar] = inRange
    fee0[bar] = (source0[bar] ?? 0) * paid
    fee1[bar] = (source1[bar] ?? 0) * paid
  }
}

/** `fee` is the providers' part of the input, as a fraction; `liquidity` is above 0. */
export type AccruingPosition = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: number
  readonly fee: number
}

export type FeeColumns = { readonly share: Float64Array; readonly fee0: Float64Array; readonly fee1: Float64Array }
