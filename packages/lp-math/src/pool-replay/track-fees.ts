import { feesOwed } from '../fees/fees.ts'
import { Q128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import { getSqrtPriceAtTick, type TickRange } from '../ticks/ticks.ts'
import type { FeePayment, EventAmounts } from './pool-event.ts'

/**
 * Counts the fees of a position, payment by payment (`onFee` of `applyPoolEvent` and `applyV4PoolEvent`).
 *
 * Of a position that is among the events (`isInPool`), what its pool pays it, to the unit. One that is not gets its part of the same trade
 * at the same prices, shared with those who were there: fee * L / (liquidity + L) of each step, and of a step that goes through a bound
 * the part of the input that was taken within.
 * @throws LpMathError `RANGE_EMPTY`, `TICK_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`; `pay` throws `POOL_EVENTS_INCONSISTENT` for a
 * position that is said to be in the pool and cannot have been.
 */
export function trackFees(position: TrackedPosition): FeeTracker {
  const { tickLower, tickUpper, liquidity } = position
  if (!(tickLower < tickUpper)) throw new LpMathError('RANGE_EMPTY', 'tickLower is below tickUpper.')
  if (liquidity <= 0n) throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'liquidity is above 0.')
  const range = { ...position, sqrtLower: getSqrtPriceAtTick(tickLower), sqrtUpper: getSqrtPriceAtTick(tickUpper) }
  const growth: [bigint, bigint] = [0n, 0n]
  return {
    pay(payment) {
      growth[payment.token] += position.isInPool ? growthPaid(payment, range) : growthShared(payment, range)
    },
    fees() {
      const [amount0, amount1] = growth
      return { amount0: feesOwed(liquidity, amount0, 0n), amount1: feesOwed(liquidity, amount1, 0n) }
    },
  }
}

/** `isInPool`: whether the liquidity is part of what the events put into the pool. */
export type TrackedPosition = TickRange & { readonly liquidity: bigint; readonly isInPool: boolean }

/** Takes payments one by one (`onFee`), and says what they came to. */
export type FeeTracker = {
  readonly pay: (payment: FeePayment) => void
  /** Smallest units so far, as one collection would give. */
  readonly fees: () => EventAmounts
}

/** A range with the sqrt prices (Q64.96) of its bounds, and the liquidity in it. */
export type SharingRange = TickRange & {
  readonly liquidity: bigint
  readonly sqrtLower: bigint
  readonly sqrtUpper: bigint
}

/** As the contracts count: a step lies within a range or outside, since both of its ticks are initialised. */
function growthPaid(
  payment: FeePayment,
  { tickLower, tickUpper, sqrtLower, sqrtUpper, liquidity }: SharingRange,
): bigint {
  const [low, high] = pathOf(payment)
  const goesThrough = (bound: bigint) => low < bound && bound < high
  if (goesThrough(sqrtLower) || goesThrough(sqrtUpper)) {
    throw new LpMathError(
      'POOL_EVENTS_INCONSISTENT',
      'A swap went through a bound of the range without a stop: no position of it was there.',
    )
  }
  if (payment.tick < tickLower || payment.tick >= tickUpper) return 0n
  if (payment.liquidity < liquidity) {
    throw new LpMathError(
      'POOL_EVENTS_INCONSISTENT',
      'The pool had less liquidity at its price than the position holds there.',
    )
  }
  return (payment.fee * Q128) / payment.liquidity
}

/**
 * What a payment grows for one unit (Q128.128) of a liquidity that was added to a range beside what was there. Input is in proportion to
 * the way of the price, of token0 to that of 1 / sqrt P. Source: v3 whitepaper eq. 6.14 and 6.16.
 */
export function growthShared(payment: FeePayment, range: SharingRange): bigint {
  const { fee, token, tick, liquidity } = payment
  const shared = liquidity + range.liquidity
  const [low, high] = pathOf(payment)
  if (low === high) {
    return tick >= range.tickLower && tick < range.tickUpper ? (fee * Q128) / shared : 0n
  }
  const from = low > range.sqrtLower ? low : range.sqrtLower
  const to = high < range.sqrtUpper ? high : range.sqrtUpper
  if (from >= to) return 0n
  const [part, whole] = token === 0 ? [(to - from) * low * high, (high - low) * from * to] : [to - from, high - low]
  return (fee * part * Q128) / (whole * shared)
}

function pathOf({ sqrtPriceX96, sqrtPriceAfterX96 }: FeePayment): readonly [low: bigint, high: bigint] {
  return sqrtPriceX96 < sqrtPriceAfterX96 ? [sqrtPriceX96, sqrtPriceAfterX96] : [sqrtPriceAfterX96, sqrtPriceX96]
}
