import { Q128 } from '../integers/fixed-point.ts'
import { type SwapResult, walkSwap } from '../swaps/walk-swap.ts'
import { currentObservation } from './current-observation.ts'
import { findTick } from './find-tick.ts'
import type { PoolState, TickState } from './pool-state.ts'

/**
 * All that a swap would change in a pool, without changing it. Source: v3-core `swap`, Tick `cross`.
 * @throws LpMathError as `swapThroughTicks`.
 */
export function planSwap(state: PoolState, order: SwapOrder): SwapPlan {
  const { zeroForOne, timestamp } = order
  const shareOfProtocol = BigInt(zeroForOne ? state.feeProtocol % 16 : state.feeProtocol >> 4)
  let growth = zeroForOne ? state.feeGrowthGlobal0X128 : state.feeGrowthGlobal1X128
  let protocolFee = 0n
  const crossedTicks: TickState[] = []
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
        if (record !== null) crossedTicks.push(crossed(record, state, zeroForOne, growth, timestamp))
      },
    },
  )
  return { zeroForOne, timestamp, result, feeGrowthGlobalX128: growth, protocolFee, crossedTicks }
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
  readonly crossedTicks: readonly TickState[]
}

function poolOf({ sqrtPriceX96, tick, liquidity, feePips, tickSpacing, ticks }: PoolState) {
  return { sqrtPriceX96, tick, liquidity, feePips, tickSpacing, ticks }
}

/** What lay on one side of the tick lies on the other once it is crossed. */
function crossed(
  record: TickState,
  state: PoolState,
  zeroForOne: boolean,
  growth: bigint,
  timestamp: number,
): TickState {
  const growth0 = zeroForOne ? growth : state.feeGrowthGlobal0X128
  const growth1 = zeroForOne ? state.feeGrowthGlobal1X128 : growth
  const now = currentObservation(state, timestamp)
  return {
    ...record,
    feeGrowthOutside0X128: BigInt.asUintN(256, growth0 - record.feeGrowthOutside0X128),
    feeGrowthOutside1X128: BigInt.asUintN(256, growth1 - record.feeGrowthOutside1X128),
    tickCumulativeOutside: BigInt.asIntN(56, now.tickCumulative - record.tickCumulativeOutside),
    secondsPerLiquidityOutsideX128: BigInt.asUintN(
      160,
      now.secondsPerLiquidityCumulativeX128 - record.secondsPerLiquidityOutsideX128,
    ),
    secondsOutside: (timestamp - record.secondsOutside) >>> 0,
  }
}
