import { LpMathError } from '../lp-math-error.ts'
import { isZeroForOne } from '../fees/fee-growth-from-swaps-in-steps.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/ticks.ts'
import type { FeePayment } from './fee-payment.ts'
import { carryOutSwap, planSwap, type SwapOrder, type SwapPlan } from './plan-swap.ts'
import { type SwapFields, swapFields } from './pool-event.ts'
import type { PoolState, TickRecord } from './pool-state.ts'

/**
 * Replays a swap from its event, which tells neither the amount asked for nor the price limit.
 *
 * Each step but the last goes to its target, whoever asked for what, so the path and its fees follow from the two prices. Only the
 * last step rounds by the kind of order, and its fee is what the event's input leaves over. The first kind of order that gives the
 * whole event is therefore as good as the true one: whichever else does too leads to the same state.
 * @throws LpMathError `SWAP_LOGS_INCONSISTENT` when no order gives the event.
 */
export function applySwapEvent(state: PoolState, event: SwapFields, timestamp: number): readonly FeePayment[] {
  const plan = planOfEvent(state, { event, timestamp }, (order) => planSwap(state, order))
  carryOutSwap(state, plan)
  return plan.payments
}

/** Of the orders that may have led to an event, seen from the pool, the first that does. Throws as `applySwapEvent`. */
export function planOfEvent<Tick extends TickRecord>(
  state: { readonly sqrtPriceX96: bigint },
  seen: TimedSwap,
  plan: (order: SwapOrder) => SwapPlan<Tick>,
): SwapPlan<Tick> {
  for (const order of possibleOrders(state, seen)) {
    const planned = plan(order)
    if (isSame(swapFields(planned), seen.event)) return planned
  }
  throw inconsistent()
}

/** A Swap event seen from the pool, with the time of its block. */
export type TimedSwap = { readonly event: SwapFields; readonly timestamp: number }

/**
 * Swaps in a pool as a call of the contract's `swap` would, and returns what its Swap event would say.
 * The state is changed in place, or left as it was when this throws. An amount of 0 and a limit at the price, which the contract
 * refuses, change nothing. Source: v3-core `swap`.
 * @throws LpMathError `POOL_EVENTS_INCONSISTENT` before the pool is initialised or when the time runs backwards, and what
 * `swapThroughTicks` throws.
 */
export function swapInPool(state: PoolState, order: SwapOrder): SwapFields {
  requireReplayable(state, order.timestamp)
  const plan = planSwap(state, order)
  carryOutSwap(state, plan)
  return swapFields(plan)
}

/** Refuses what cannot happen in a pool that is not initialised, or before what the pool already remembers. */
export function requireReplayable(state: PoolState, timestamp: number): void {
  requireTimestamp(timestamp)
  if (state.sqrtPriceX96 === 0n) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'The first event of a pool is Initialize.')
  }
  const last = state.observations[state.observationIndex]?.blockTimestamp ?? 0
  if (timestamp < last) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'Events come in the order of the chain: the time runs backwards.')
  }
}

/** Unix seconds that fit the contract's 32 bits. */
export function requireTimestamp(timestamp: number): void {
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > 0xffffffff) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'A timestamp is an integer number of unix seconds of 32 bits.')
  }
}

/**
 * Exact input, a price limit, exact output. A swap that does not move the price can only have been an exact input. Throws
 * `SWAP_LOGS_INCONSISTENT` for what no order gives.
 */
export function possibleOrders(before: { readonly sqrtPriceX96: bigint }, seen: TimedSwap): readonly SwapOrder[] {
  const { amount0, amount1, sqrtPriceX96 } = seen.event
  const zeroForOne = isZeroForOne({ amount0, amount1, sqrtPriceX96After: sqrtPriceX96 }, before.sqrtPriceX96)
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE) throw inconsistent()
  const [amountIn, amountOut] = zeroForOne ? [amount0, -amount1] : [amount1, -amount0]
  const to = { zeroForOne, timestamp: seen.timestamp }
  // A limit one unit beyond the price of the event changes nothing for an input that ends there, and spares the walk of one that does not.
  const beyond = clampLimit(sqrtPriceX96 + (zeroForOne ? -1n : 1n))
  const input = { ...to, exactIn: true, amountSpecified: amountIn, sqrtPriceLimitX96: beyond }
  if (sqrtPriceX96 === before.sqrtPriceX96) return [input]
  const limit = { ...to, exactIn: true, amountSpecified: endless, sqrtPriceLimitX96: clampLimit(sqrtPriceX96) }
  return [input, limit, { ...to, exactIn: false, amountSpecified: amountOut }]
}

/** More than any pool takes: the swap ends at its limit. */
const endless = 1n << 255n

function clampLimit(sqrtPriceX96: bigint): bigint {
  if (sqrtPriceX96 <= MIN_SQRT_PRICE) return MIN_SQRT_PRICE + 1n
  return sqrtPriceX96 >= MAX_SQRT_PRICE ? MAX_SQRT_PRICE - 1n : sqrtPriceX96
}

function isSame(a: SwapFields, b: SwapFields): boolean {
  return (
    a.amount0 === b.amount0 &&
    a.amount1 === b.amount1 &&
    a.sqrtPriceX96 === b.sqrtPriceX96 &&
    a.liquidity === b.liquidity &&
    a.tick === b.tick
  )
}

function inconsistent(): LpMathError {
  return new LpMathError(
    'SWAP_LOGS_INCONSISTENT',
    'No swap in the pool as it stood gives this event: an event is missing, out of order, or of another pool.',
  )
}
