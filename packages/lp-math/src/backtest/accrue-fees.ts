import type { Bars } from '../bars/bars.ts'

/**
 * Writes into `columns`, for the bars from `fromBar` to before `toBar`, the share of each bar that its price spent in the range and the
 * fees that a position of `liquidity` earned in it, in smallest units.
 *
 * The share is that of the ticks between low and high, each taken to have seen as much of the trade as another. The position's own
 * liquidity dilutes what was there: input * fee * share * L / (liquidity + L), or fee growth * L * liquidity / (liquidity + L).
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
    const low = lowTick[bar] ?? 0
    const high = highTick[bar] ?? 0
    const there = liquidity[bar] ?? 0
    let inRange = 0
    if (low >= tickLower && high < tickUpper) inRange = 1
    else if (high > tickLower && low < tickUpper) {
      inRange = (Math.min(high, tickUpper) - Math.max(low, tickLower)) / (high - low)
    }
    const paid = (inRange * own * (feeGrowth === null ? fee : there)) / (there + own)
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
