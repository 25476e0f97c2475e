import type { Bars } from '../bars/bars.ts'
import { traversedShare } from './backtest-options.ts'
import { feesOwed } from '../fees/fees.ts'
import type { EventAmounts } from '../pool-replay/pool-event.ts'
import { growthShared, type SharingRange } from '../pool-replay/track-fees.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import type { Position } from './open-position.ts'
import type { PoolTrade } from './record-trade.ts'

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

/** Fees and time in range of positions, swap by swap, put into the bars in which they fell. */
export function createSwapFees(bars: Bars, trade: PoolTrade): SwapFees {
  const startsAt = bars.startsAt[0] ?? 0
  const barOf = (timestamp: number) => Math.floor((timestamp - startsAt) / bars.barSeconds)
  const placed = {
    bars,
    trade,
    paidFrom: firstOfBars(trade.payments, barOf, bars.startsAt.length),
    movedFrom: firstOfBars(trade.swaps, barOf, bars.startsAt.length),
  }
  return { hold: (position) => hold(placed, sharingRange(position)) }
}

/** Payments and swaps of a trade, of which `paidFrom` and `movedFrom` tell the first of each bar. */
type PlacedTrade = {
  readonly bars: Bars
  readonly trade: PoolTrade
  readonly paidFrom: Int32Array
  readonly movedFrom: Int32Array
}

function hold(placed: PlacedTrade, range: SharingRange): HeldBySwap {
  const growth: (readonly [bigint, bigint])[] = []
  return {
    accrue(fromBar, toBar, { share, fee0, fee1 }) {
      for (let bar = fromBar; bar < toBar; bar++) {
        const grown = growthOfBar(placed, range, bar)
        growth[bar] = grown
        fee0[bar] = Number(grown[0] * range.liquidity) * 2 ** -128
        fee1[bar] = Number(grown[1] * range.liquidity) * 2 ** -128
        share[bar] = timeShare(placed, range, bar)
      }
    },
    feesUntil(mintBar, endBar) {
      const held = growth.slice(mintBar + 1, endBar + 1)
      const sum = (token: 0 | 1) => held.reduce((whole, grown) => whole + grown[token], 0n)
      return { amount0: feesOwed(range.liquidity, sum(0), 0n), amount1: feesOwed(range.liquidity, sum(1), 0n) }
    },
  }
}

function growthOfBar({ trade, paidFrom }: PlacedTrade, range: SharingRange, bar: number): readonly [bigint, bigint] {
  const grown: [bigint, bigint] = [0n, 0n]
  for (let place = paidFrom[bar] ?? 0; place < (paidFrom[bar + 1] ?? 0); place++) {
    const payment = trade.payments[place]
    if (payment !== undefined) grown[payment.token] += growthShared(payment, range)
  }
  return grown
}

/** Share of a bar's time at which the tick was in the range. */
function timeShare({ bars, trade, movedFrom }: PlacedTrade, range: SharingRange, bar: number): number {
  const isInBefore = (swap: number) => {
    const tick = trade.ticks[swap - 1] ?? trade.start.tick
    return tick >= range.tickLower && tick < range.tickUpper
  }
  const [first, end] = [movedFrom[bar] ?? 0, movedFrom[bar + 1] ?? 0]
  const opens = bars.startsAt[bar] ?? 0
  let at = opens
  let seconds = 0
  for (let swap = first; swap < end; swap++) {
    const until = trade.swaps[swap]?.timestamp ?? at
    if (isInBefore(swap)) seconds += until - at
    at = until
  }
  if (isInBefore(end)) seconds += opens + bars.barSeconds - at
  return seconds / bars.barSeconds
}

export type SwapFees = { readonly hold: (position: Position) => HeldBySwap }

/** A position on its way: `accrue` writes the columns of bars, as `accrueFees` does. */
export type HeldBySwap = {
  readonly accrue: (fromBar: number, toBar: number, columns: FeeColumns) => void
  /** From the bar after the mint to the last one, both accrued: in smallest units, as one collection would give. */
  readonly feesUntil: (mintBar: number, endBar: number) => EventAmounts
}

/** Whole units of liquidity, as a pool holds them. */
function sharingRange({ tickLower, tickUpper, liquidity }: Position): SharingRange {
  const whole = BigInt(Math.max(1, Math.floor(liquidity)))
  const bounds = { sqrtLower: getSqrtPriceAtTick(tickLower), sqrtUpper: getSqrtPriceAtTick(tickUpper) }
  return { tickLower, tickUpper, liquidity: whole, ...bounds }
}

/** The place of the first item of each bar, and behind the last bar that of what follows. What came before the first bar is left out. */
function firstOfBars(
  items: readonly { readonly timestamp: number }[],
  barOf: (timestamp: number) => number,
  count: number,
): Int32Array {
  const first = new Int32Array(count + 1)
  let bar = 0
  for (const [place, { timestamp }] of items.entries()) {
    for (const until = Math.min(count, barOf(timestamp)); bar <= until; bar++) first[bar] = place
  }
  return first.fill(items.length, bar)
}
