import { currentObservation, writeObservation } from './write-observation.ts'
import type { Crossing, SwapPlan } from './plan-swap.ts'
import type { Observation, PoolState, TickState } from './pool-state.ts'
import { storeTick } from './tick-index.ts'

/** Puts what a swap changes into the pool. Source: v3-core `swap`, its end, and Tick `cross`. */
export function carryOutSwap(state: PoolState, plan: SwapPlan): void {
  const { sqrtPriceX96After, tickAfter, liquidityAfter } = plan.result
  const now = currentObservation(state, plan.timestamp)
  if (tickAfter !== state.tick) writeObservation(state, plan.timestamp)
  for (const crossing of plan.crossings) storeTick(state, crossed(crossing, state, plan, now))
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

/** What lay on one side of the tick lies on the other once it is crossed. */
function crossed(crossing: Crossing, state: PoolState, plan: SwapPlan, now: Observation): TickState {
  const { record, feeGrowthGlobalX128: growth } = crossing
  const growth0 = plan.zeroForOne ? growth : state.feeGrowthGlobal0X128
  const growth1 = plan.zeroForOne ? state.feeGrowthGlobal1X128 : growth
  return {
    ...record,
    feeGrowthOutside0X128: BigInt.asUintN(256, growth0 - record.feeGrowthOutside0X128),
    feeGrowthOutside1X128: BigInt.asUintN(256, growth1 - record.feeGrowthOutside1X128),
    tickCumulativeOutside: BigInt.asIntN(56, now.tickCumulative - record.tickCumulativeOutside),
    secondsPerLiquidityOutsideX128: BigInt.asUintN(
      160,
      now.secondsPerLiquidityCumulativeX128 - record.secondsPerLiquidityOutsideX128,
    ),
    secondsOutside: (plan.timestamp - record.secondsOutside) >>> 0,
  }
}
