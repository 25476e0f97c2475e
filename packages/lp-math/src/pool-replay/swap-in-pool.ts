import { carryOutSwap } from './carry-out-swap.ts'
import { planSwap, type SwapOrder } from './plan-swap.ts'
import { type SwapFields, swapFields } from './pool-event.ts'
import type { PoolState } from './pool-state.ts'
import { requireReplayable } from './require-replayable.ts'

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
