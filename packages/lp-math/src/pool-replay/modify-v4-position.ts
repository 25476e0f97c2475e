import { feesOwed, getFeeGrowthInside } from '../fees/fees.ts'
import { MAX_UINT128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK, MIN_TICK } from '../ticks/ticks.ts'
import { findTick, storeTick, type TickRecord } from './pool-state.ts'
import type { V4PositionChange } from './v4-pool-event.ts'
import { type V4PoolState, v4PositionKey, type V4PositionState } from './v4-pool-state.ts'

/**
 * A change of a position in a v4 pool, by which its fees are paid. Source: Pool of v4-core, `modifyLiquidity`.
 * @throws LpMathError `POOL_EVENTS_INCONSISTENT`, `TICK_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE`.
 */
export function modifyV4Position(state: V4PoolState, change: V4PositionChange): void {
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

function inconsistent(message: string): LpMathError {
  return new LpMathError('POOL_EVENTS_INCONSISTENT', message)
}
