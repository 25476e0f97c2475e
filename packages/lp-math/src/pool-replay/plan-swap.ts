import { Q128 } from '../integers/integers.ts'
import { type SwapResult, walkSwap } from '../swaps/walk-swap.ts'
import { findTick, type Observation, type PoolState, storeTick, type TickState } from './pool-state.ts'
import { currentObservation, writeObservation } from './write-observation.ts'

/**
 * All that a swap would change in a pool, without changing it. Source: v3-core `swap`.
 * @throws LpMathError as `swapThroughTicks`.
 */
export function planSwap(state: PoolState, order: SwapOrder): SwapPlan {
  const { zeroForOne, timestamp } = order
  const shareOfProtocol = BigInt(zeroForOne ? state.feeProtocol % 16 : state.feeProtocol >> 4)
  let growth = zeroForOne ? state.feeGrowthGlobal0X128 : state.feeGrowthGlobal1X128
  let protocolFee = 0n
  const crossings: Crossing[] = []
  const result = walkSwap(
    { ...order, ...poolOf(state) },
    {
      step(feeAmount, liquidity) {
        const toProtocol = shareOfProtocol === 0n ? 0n : feeAmount / shareOfProtocol
        protocolFee += toProtocol
        if (liquidity > 0n) growth = BigInt.asUintN(256, growth + ((feeAmount - toProtocol) * Q128) / liquidity)
      },
      cross(tick) {
        const record = findTick(state, tick)
        if (record !== null) crossings.push({ record, feeGrowthGlobalX128: growth })
      },
    },
  )
  return { zeroForOne, timestamp, result, feeGrowthGlobalX128: growth, protocolFee, crossings }
}

/** `amountSpecified` in smallest units of the input if `exactIn`, else of the output; `timestamp` of the block in unix seconds. */
export type SwapOrder = {
  readonly zeroForOne: boolean
  readonly exactIn: boolean
  readonly amountSpecified: bigint
  /** As far as the price goes when absent. */
  readonly sqrtPriceLimitX96?: bigint
  readonly timestamp: number
}

/** `feeGrowthGlobalX128` and `protocolFee` are of the input token: what the first becomes, and what is added to the second. */
export type SwapPlan = {
  readonly zeroForOne: boolean
  readonly timestamp: number
  readonly result: SwapResult
  readonly feeGrowthGlobalX128: bigint
  readonly protocolFee: bigint
  readonly crossings: readonly Crossing[]
}

/** A tick as it was before, and the growth of the input token when it was crossed. */
export type Crossing = { readonly record: TickState; readonly feeGrowthGlobalX128: bigint }

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

function poolOf({ sqrtPriceX96, tick, liquidity, feePips, tickSpacing, ticks }: PoolState) {
  return { sqrtPriceX96, tick, liquidity, feePips, tickSpacing, ticks }
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
