import { Q128 } from '../integers/integers.ts'
import type { SwapStep } from '../swaps/compute-swap-step.ts'
import { type SwapResult, walkSwap } from '../swaps/walk-swap.ts'
import type { FeePayment } from './fee-payment.ts'
import { findTick, type Observation, type PoolState, storeTick, type TickRecord, type TickState } from './pool-state.ts'
import { currentObservation, writeObservation } from './write-observation.ts'

/**
 * All that a swap would change in a v3 pool, without changing it. Source: v3-core `swap`.
 * @throws LpMathError as `swapThroughTicks`.
 */
export function planSwap(state: PoolState, order: SwapOrder): SwapPlan<TickState> {
  const share = BigInt(order.zeroForOne ? state.feeProtocol % 16 : state.feeProtocol >> 4)
  const toProtocol = ({ feeAmount }: SwapStep) => (share === 0n ? 0n : feeAmount / share)
  return planThrough(state, order, { version: 'v3', feePips: state.feePips, toProtocol })
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

/**
 * `feeGrowthGlobalX128` and `protocolFee` are of the input token: what the first becomes, and what is added to the second. `payments` are what
 * the providers of each step get.
 */
export type SwapPlan<Tick extends TickRecord = TickRecord> = {
  readonly zeroForOne: boolean
  readonly timestamp: number
  readonly result: SwapResult
  readonly feeGrowthGlobalX128: bigint
  readonly protocolFee: bigint
  readonly crossings: readonly Crossing<Tick>[]
  readonly payments: readonly FeePayment[]
}

/** A tick as it was before, and the growth of the input token when it was crossed. */
export type Crossing<Tick extends TickRecord> = { readonly record: Tick; readonly feeGrowthGlobalX128: bigint }

/** The same by the rules of one version of the pools. `feePips` is the whole fee; `toProtocol` the protocol's part of a step's. */
export function planThrough<Tick extends TickRecord>(
  state: TradedPool<Tick>,
  order: SwapOrder,
  { version, feePips, toProtocol }: SwapRules,
): SwapPlan<Tick> {
  const { zeroForOne, timestamp } = order
  let growth = zeroForOne ? state.feeGrowthGlobal0X128 : state.feeGrowthGlobal1X128
  let protocolFee = 0n
  const crossings: Crossing<Tick>[] = []
  const payments: FeePayment[] = []
  const { sqrtPriceX96, tick, liquidity, tickSpacing, ticks } = state
  const result = walkSwap(
    { ...order, sqrtPriceX96, tick, liquidity, tickSpacing, ticks, feePips, version },
    {
      step(step, before) {
        const ofProtocol = toProtocol(step)
        protocolFee += ofProtocol
        const fee = step.feeAmount - ofProtocol
        if (before.liquidity === 0n) return
        growth = BigInt.asUintN(256, growth + (fee * Q128) / before.liquidity)
        if (fee === 0n) return
        payments.push({
          token: zeroForOne ? 0 : 1,
          fee,
          ...before,
          sqrtPriceAfterX96: step.sqrtPriceNextX96,
          timestamp,
        })
      },
      cross(crossed) {
        const record = findTick(state, crossed)
        if (record !== null) crossings.push({ record, feeGrowthGlobalX128: growth })
      },
    },
  )
  return { zeroForOne, timestamp, result, feeGrowthGlobalX128: growth, protocolFee, crossings, payments }
}

/** What a swap needs to know of a pool of either version. */
export type TradedPool<Tick extends TickRecord> = {
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  readonly tickSpacing: number
  readonly feeGrowthGlobal0X128: bigint
  readonly feeGrowthGlobal1X128: bigint
  readonly ticks: readonly Tick[]
}

type SwapRules = {
  readonly version: 'v3' | 'v4'
  readonly feePips: number
  readonly toProtocol: (step: SwapStep) => bigint
}

/** Puts what a swap changes into the pool. Source: v3-core `swap`, its end, and Tick `cross`. */
export function carryOutSwap(state: PoolState, plan: SwapPlan<TickState>): void {
  const { sqrtPriceX96After, tickAfter, liquidityAfter } = plan.result
  const now = currentObservation(state, plan.timestamp)
  if (tickAfter !== state.tick) writeObservation(state, plan.timestamp)
  for (const crossing of plan.crossings) {
    storeTick(state, {
      ...crossing.record,
      ...growthBeyond(crossing, state, plan),
      ...timeBeyond(crossing.record, plan, now),
    })
  }
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

/** What grew on one side of the tick lies on the other once it is crossed. */
export function growthBeyond<Tick extends TickRecord>(
  { record, feeGrowthGlobalX128: growth }: Crossing<Tick>,
  state: Pick<TradedPool<Tick>, 'feeGrowthGlobal0X128' | 'feeGrowthGlobal1X128'>,
  { zeroForOne }: SwapPlan<Tick>,
) {
  const growth0 = zeroForOne ? growth : state.feeGrowthGlobal0X128
  const growth1 = zeroForOne ? state.feeGrowthGlobal1X128 : growth
  return {
    feeGrowthOutside0X128: BigInt.asUintN(256, growth0 - record.feeGrowthOutside0X128),
    feeGrowthOutside1X128: BigInt.asUintN(256, growth1 - record.feeGrowthOutside1X128),
  }
}

/** The same of what v3 counts beside. */
function timeBeyond(record: TickState, { timestamp }: SwapPlan<TickState>, now: Observation) {
  return {
    tickCumulativeOutside: BigInt.asIntN(56, now.tickCumulative - record.tickCumulativeOutside),
    secondsPerLiquidityOutsideX128: BigInt.asUintN(
      160,
      now.secondsPerLiquidityCumulativeX128 - record.secondsPerLiquidityOutsideX128,
    ),
    secondsOutside: (timestamp - record.secondsOutside) >>> 0,
  }
}
