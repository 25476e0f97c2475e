import type { SwapPlan } from './plan-swap.ts'
import type { PoolState } from './pool-state.ts'
import { storeTick } from './store-tick.ts'
import { writeObservation } from './write-observation.ts'

/** Puts what a swap changes into the pool. Source: v3-core `swap`, its end. */
export function carryOutSwap(state: PoolState, plan: SwapPlan): void {
  const { sqrtPriceX96After, tickAfter, liquidityAfter } = plan.result
  if (tickAfter !== state.tick) writeObservation(state, plan.timestamp)
  for (const tick of plan.crossedTicks) storeTick(state, tick)
  state.sqrtPriceX96 = sqrtPriceX96After
  state.tick = tickAfter
  state.liquidity = liquidityAfter
  if (plan.zeroForOne) {
    state.feeGrowthGlobal0X128 = plan.feeGrowthGlobalX128
    state.protocolFees0 = BigInt.asUintN(128, state.protocolFees0 + plan.protocolFee)
  } else {
    state.feeGrowthGlobal1X128 = plan.feeGrowthGlobalX128
    state.protocolFees1 = BigInt.asUintN(128, state.protocolFees1 + plan.protocolFee)
  }
}
