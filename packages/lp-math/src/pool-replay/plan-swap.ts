import { Q128 } from '../integers/integers.ts'
import { type SwapStep, type SwapResult, walkSwap } from '../swaps/walk-swap.ts'
import type { FeePayment, SwapFields } from './pool-event.ts'
import {
  findTick,
  type Observation,
  type PoolState,
  storeTick,
  type TickRecord,
  type TickState,
  currentObservation,
  writeObservation,
} from './pool-state.ts'
import { LpMathError } from '../lp-math-error.ts'
import { isZeroForOne } from '../fees/fees.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '../ticks/ticks.ts'

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

/** What the pool would write into the Swap event. */
export function swapFields({ zeroForOne, result }: SwapPlan): SwapFields {
  const { amountIn, amountOut, sqrtPriceX96After: sqrtPriceX96, liquidityAfter: liquidity, tickAfter: tick } = result
  const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  return { amount0, amount1, sqrtPriceX96, liquidity, tick }
}

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
