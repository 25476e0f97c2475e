import { v4SwapFee, feesOwed, getFeeGrowthInside, isZeroForOne, unpackProtocolFee } from '../fees/fees.ts'
import { Q128, MAX_UINT128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import type { SwapStep } from '../swaps/walk-swap.ts'
import { getTickAtSqrtPrice, MAX_TICK, MIN_TICK } from '../ticks/ticks.ts'
import {
  planOfEvent,
  requireTimestamp,
  type TimedSwap,
  growthBeyond,
  planThrough,
  type SwapOrder,
  type SwapPlan,
} from './plan-swap.ts'
import { type FeeListener, type FeePayment, paymentsAt, type EventAmounts } from './pool-event.ts'
import { storeTick, type TickRecord, findTick } from './pool-state.ts'
import {
  type V4PoolEvent,
  type V4SwapFields,
  type V4PoolState,
  type V4PositionChange,
  v4PositionKey,
  type V4PositionState,
} from './v4-pool-state.ts'

/**
 * Brings a v4 pool's state past its next event, bit for bit as the manager stores it. Events come in the order of the chain and none is
 * left out; the state is changed in place, or left as it was when this throws. `onFee` hears what the event paid to the providers.
 * Source: Pool of v4-core.
 * @throws LpMathError `SWAP_LOGS_INCONSISTENT` for a swap, `POOL_EVENTS_INCONSISTENT` for any other event that could not have followed
 * on the state; `TICK_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`, `FEE_OUT_OF_RANGE` for numbers no pool can hold.
 */
export function applyV4PoolEvent(state: V4PoolState, event: V4PoolEvent, onFee?: FeeListener): void {
  const { timestamp } = event
  requireTimestamp(timestamp)
  if (event.eventName === 'Initialize') initialize(state, event.args)
  else {
    if (state.sqrtPriceX96 === 0n) throw inconsistent('The first event of a pool is Initialize.')
    if (timestamp < state.timestamp) {
      throw inconsistent('Events come in the order of the chain: the time runs backwards.')
    }
    const payments = applyTraded(state, event)
    if (onFee !== undefined) for (const payment of payments) onFee(payment)
  }
  state.timestamp = timestamp
}

/** What a swap of a v4 pool must have been, seen from the pool; without changing it. Throws as `applyV4PoolEvent`. */
export function planV4Swap(state: V4PoolState, order: SwapOrder, feePips: number): SwapPlan {
  const ofProtocol = protocolPips(state, order.zeroForOne)
  const pips = BigInt(ofProtocol)
  const toProtocol = ({ amountIn, feeAmount }: SwapStep) =>
    ofProtocol === feePips ? feeAmount : ((amountIn + feeAmount) * pips) / 1_000_000n
  return planThrough(state, order, { version: 'v4', feePips, toProtocol })
}

/** A swap as the pool sees it, from an event that tells the trader's side. */
export function poolSideOf({
  args,
  timestamp,
}: {
  readonly args: V4SwapFields
  readonly timestamp: number
}): TimedSwap {
  const { amount0, amount1, sqrtPriceX96, liquidity, tick } = args
  return { event: { amount0: -amount0, amount1: -amount1, sqrtPriceX96, liquidity, tick }, timestamp }
}

type Applied = Exclude<V4PoolEvent, { eventName: 'Initialize' }>

function applyTraded(state: V4PoolState, event: Applied): readonly FeePayment[] {
  if (event.eventName === 'Swap') return swap(state, poolSideOf(event), event.args.fee)
  if (event.eventName === 'Donate') return donate(state, event.args, event.timestamp)
  if (event.eventName === 'ModifyLiquidity') modifyV4Position(state, event.args)
  else setProtocolFee(state, event.args.protocolFee)
  return []
}

function initialize(state: V4PoolState, { sqrtPriceX96, tick }: { sqrtPriceX96: bigint; tick: number }): void {
  if (state.sqrtPriceX96 !== 0n) throw inconsistent('A pool is initialised once.')
  if (getTickAtSqrtPrice(sqrtPriceX96) !== tick) throw inconsistent('The tick is the one of the price.')
  state.sqrtPriceX96 = sqrtPriceX96
  state.tick = tick
}

function swap(state: V4PoolState, seen: TimedSwap, feePips: number): readonly FeePayment[] {
  const { sqrtPriceX96: sqrtPriceX96After, ...amounts } = seen.event
  requireFee(state, feePips, isZeroForOne({ ...amounts, sqrtPriceX96After }, state.sqrtPriceX96))
  const plan = planOfEvent(state, seen, (order) => planV4Swap(state, order, feePips))
  for (const crossing of plan.crossings) {
    storeTick<TickRecord>(state, { ...crossing.record, ...growthBeyond(crossing, state, plan) })
  }
  const { sqrtPriceX96After: price, tickAfter, liquidityAfter } = plan.result
  state.sqrtPriceX96 = price
  state.tick = tickAfter
  state.liquidity = liquidityAfter
  if (plan.zeroForOne) state.feeGrowthGlobal0X128 = plan.feeGrowthGlobalX128
  else state.feeGrowthGlobal1X128 = plan.feeGrowthGlobalX128
  return plan.payments
}

/** A fee that is not dynamic is the pool's, with the protocol's part. */
function requireFee(state: V4PoolState, feePips: number, zeroForOne: boolean): void {
  if (state.feePips === null) return
  const expected = v4SwapFee(protocolPips(state, zeroForOne), state.feePips)
  if (feePips !== expected) {
    throw new LpMathError(
      'SWAP_LOGS_INCONSISTENT',
      `The swap paid a fee of ${feePips} where the pool takes ${expected}.`,
    )
  }
}

function protocolPips({ protocolFee }: V4PoolState, zeroForOne: boolean): number {
  const unpacked = unpackProtocolFee('v4', protocolFee)
  if (unpacked.version !== 'v4') return 0
  return zeroForOne ? unpacked.pips0 : unpacked.pips1
}

function donate(state: V4PoolState, { amount0, amount1 }: EventAmounts, timestamp: number): readonly FeePayment[] {
  if (amount0 < 0n || amount1 < 0n) throw inconsistent('A donation gives.')
  if (state.liquidity === 0n) throw inconsistent('A pool without active liquidity takes no donation.')
  const grown = (growth: bigint, fee: bigint) => BigInt.asUintN(256, growth + (fee * Q128) / state.liquidity)
  state.feeGrowthGlobal0X128 = grown(state.feeGrowthGlobal0X128, amount0)
  state.feeGrowthGlobal1X128 = grown(state.feeGrowthGlobal1X128, amount1)
  return paymentsAt(state, [amount0, amount1], timestamp)
}

/** Source: ProtocolFeeLibrary of v4-core: at most a thousandth of the input, for either token. */
function setProtocolFee(state: V4PoolState, protocolFee: number): void {
  const isWhole = Number.isInteger(protocolFee) && protocolFee >= 0 && protocolFee < 2 ** 24
  if (!isWhole || protocolFee % 4096 > 1000 || protocolFee >> 12 > 1000) {
    throw inconsistent('The protocol takes at most 1000 millionths of the input, packed in 12 bits for each token.')
  }
  state.protocolFee = protocolFee
}

function inconsistent(message: string): LpMathError {
  return new LpMathError('POOL_EVENTS_INCONSISTENT', message)
}

/**
 * A change of a position in a v4 pool, by which its fees are paid. Source: Pool of v4-core, `modifyLiquidity`.
 * @throws LpMathError `POOL_EVENTS_INCONSISTENT`, `TICK_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`.
 */
function modifyV4Position(state: V4PoolState, change: V4PositionChange): void {
  const { sender: owner, tickLower, tickUpper, liquidityDelta: delta, salt } = change
  requireRange(state, change)
  const key = v4PositionKey({ owner, tickLower, tickUpper, salt })
  const before = state.positions.get(key) ?? emptyPosition
  if (before.liquidity + delta < 0n || (delta === 0n && before.liquidity === 0n)) {
    throw inconsistent('The position does not hold this liquidity: the replay began after it was minted.')
  }
  const lower = updatedTick(state, tickLower, delta, delta)
  const upper = updatedTick(state, tickUpper, delta, -delta)
  const position = updatedPosition(state, before, delta, lower, upper)
  const isActive = tickLower <= state.tick && state.tick < tickUpper
  const liquidity = requireLiquidity(isActive ? state.liquidity + delta : state.liquidity, MAX_UINT128)
  if (delta !== 0n) {
    storeTick(state, lower)
    storeTick(state, upper)
    state.liquidity = liquidity
  }
  state.positions.set(key, position)
}

const emptyPosition: V4PositionState = {
  liquidity: 0n,
  feeGrowthInside0LastX128: 0n,
  feeGrowthInside1LastX128: 0n,
  feesPaid0: 0n,
  feesPaid1: 0n,
}

function requireRange({ tickSpacing }: V4PoolState, { tickLower, tickUpper }: V4PositionChange): void {
  if (!(tickLower < tickUpper) || tickLower % tickSpacing !== 0 || tickUpper % tickSpacing !== 0) {
    throw inconsistent('A position lies between two ticks of the spacing of the pool.')
  }
  if (tickLower < MIN_TICK || tickUpper > MAX_TICK) {
    throw new LpMathError('TICK_OUT_OF_RANGE', `A tick is an integer within ${MIN_TICK} and ${MAX_TICK}.`)
  }
}

/** The record of a tick after the change; a new one takes all growth so far to lie below it. */
function updatedTick(state: V4PoolState, tick: number, delta: bigint, net: bigint): TickRecord {
  const before = findTick(state, tick) ?? newTick(state, tick)
  const liquidityGross = requireLiquidity(before.liquidityGross + delta, maxLiquidityPerTick(state.tickSpacing))
  return { ...before, liquidityGross, liquidityNet: before.liquidityNet + net }
}

function newTick({ tick: current, feeGrowthGlobal0X128, feeGrowthGlobal1X128 }: V4PoolState, tick: number): TickRecord {
  const isBelow = tick <= current
  return {
    tick,
    liquidityGross: 0n,
    liquidityNet: 0n,
    feeGrowthOutside0X128: isBelow ? feeGrowthGlobal0X128 : 0n,
    feeGrowthOutside1X128: isBelow ? feeGrowthGlobal1X128 : 0n,
  }
}

function updatedPosition(
  { tick: tickCurrent, feeGrowthGlobal0X128, feeGrowthGlobal1X128 }: V4PoolState,
  before: V4PositionState,
  delta: bigint,
  lower: TickRecord,
  upper: TickRecord,
): V4PositionState {
  const ticks = { tickCurrent, tickLower: lower.tick, tickUpper: upper.tick, lower, upper }
  const inside = getFeeGrowthInside({ ...ticks, feeGrowthGlobal0X128, feeGrowthGlobal1X128 })
  const { liquidity } = before
  return {
    liquidity: requireLiquidity(liquidity + delta, MAX_UINT128),
    feeGrowthInside0LastX128: inside.feeGrowthInside0X128,
    feeGrowthInside1LastX128: inside.feeGrowthInside1X128,
    feesPaid0: before.feesPaid0 + feesOwed(liquidity, inside.feeGrowthInside0X128, before.feeGrowthInside0LastX128),
    feesPaid1: before.feesPaid1 + feesOwed(liquidity, inside.feeGrowthInside1X128, before.feeGrowthInside1LastX128),
  }
}

/** Source: Pool of v4-core, `tickSpacingToMaxLiquidityPerTick`, which counts a tick below the lowest usable one. */
function maxLiquidityPerTick(tickSpacing: number): bigint {
  const [lowest, highest] = [Math.floor(MIN_TICK / tickSpacing), Math.floor(MAX_TICK / tickSpacing)]
  return MAX_UINT128 / BigInt(highest - lowest + 1)
}

function requireLiquidity(liquidity: bigint, most: bigint): bigint {
  if (liquidity < 0n || liquidity > most) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'Liquidity is at least 0 and at most what a pool and a tick hold.')
  }
  return liquidity
}
