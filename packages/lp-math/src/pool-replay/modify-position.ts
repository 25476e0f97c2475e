import { feesOwed, getFeeGrowthInside } from '../fees/fees.ts'
import { MAX_UINT128 } from '../integers/integers.ts'
import { getAmountsForLiquidity } from '../liquidity/amounts.ts'
import { LpMathError } from '../lp-math-error.ts'
import { fullRangeTicks } from '../ticks/ticks.ts'
import { getSqrtPriceAtTick } from '../ticks/sqrt-price-of-tick.ts'
import { currentObservation, writeObservation } from './write-observation.ts'
import { type PositionChange, positionKey } from './pool-event.ts'
import { findTick, type PoolState, type PositionState, storeTick, type TickState } from './pool-state.ts'

/**
 * A Mint (`side` 1) or Burn (`side` -1) of a position; a burn of no liquidity brings its fees up to date.
 * Source: v3-core `_modifyPosition` and `_updatePosition`, Tick `update`, Position `update`.
 * @throws LpMathError `POOL_EVENTS_INCONSISTENT` when the pool as it stood could not have done it, `TICK_OUT_OF_RANGE`,
 * `LIQUIDITY_OUT_OF_RANGE`.
 */
export function modifyPosition(state: PoolState, side: 1 | -1, change: PositionChange, timestamp: number): void {
  requireRange(state, change)
  requireAmounts(state, side, change)
  const key = positionKey(change)
  const before = state.positions.get(key) ?? emptyPosition
  const delta = side === 1 ? change.amount : -change.amount
  const lower = updatedTick(state, change.tickLower, delta, delta, timestamp)
  const upper = updatedTick(state, change.tickUpper, delta, -delta, timestamp)
  const position = updatedPosition(state, before, delta, lower, upper)
  const isActive = change.tickLower <= state.tick && state.tick < change.tickUpper
  const liquidity = requireLiquidity(isActive ? state.liquidity + delta : state.liquidity, MAX_UINT128)

  if (delta !== 0n) {
    if (isActive) writeObservation(state, timestamp)
    storeTick(state, lower)
    storeTick(state, upper)
    state.liquidity = liquidity
  }
  const [owed0, owed1] = side === 1 ? [0n, 0n] : [change.amount0, change.amount1]
  state.positions.set(key, {
    ...position,
    tokensOwed0: BigInt.asUintN(128, position.tokensOwed0 + owed0),
    tokensOwed1: BigInt.asUintN(128, position.tokensOwed1 + owed1),
  })
}

const emptyPosition: PositionState = {
  liquidity: 0n,
  feeGrowthInside0LastX128: 0n,
  feeGrowthInside1LastX128: 0n,
  tokensOwed0: 0n,
  tokensOwed1: 0n,
}

function requireRange({ tickSpacing }: PoolState, { tickLower, tickUpper }: PositionChange): void {
  if (tickLower >= tickUpper || tickLower % tickSpacing !== 0 || tickUpper % tickSpacing !== 0) {
    throw inconsistent('A position lies between two ticks of the spacing of the pool.')
  }
}

function requireAmounts(state: PoolState, side: 1 | -1, change: PositionChange): void {
  const bounds = [getSqrtPriceAtTick(change.tickLower), getSqrtPriceAtTick(change.tickUpper)] as const
  const { amount0, amount1 } = getAmountsForLiquidity(state.sqrtPriceX96, ...bounds, change.amount, side === 1)
  if (side === 1 && change.amount === 0n) throw inconsistent('A mint adds liquidity.')
  if (amount0 !== change.amount0 || amount1 !== change.amount1) {
    throw inconsistent('The liquidity is not worth these amounts at the price the pool had: an event is missing.')
  }
}

/** The record of a tick after the change; a new one takes all growth so far to lie below it. */
function updatedTick(state: PoolState, tick: number, delta: bigint, net: bigint, timestamp: number): TickState {
  const before = findTick(state, tick) ?? newTick(state, tick, timestamp)
  const liquidityGross = requireLiquidity(before.liquidityGross + delta, maxLiquidityPerTick(state.tickSpacing))
  return { ...before, liquidityGross, liquidityNet: before.liquidityNet + net }
}

function newTick(state: PoolState, tick: number, timestamp: number): TickState {
  const isBelow = tick <= state.tick
  const now = currentObservation(state, timestamp)
  return {
    tick,
    liquidityGross: 0n,
    liquidityNet: 0n,
    feeGrowthOutside0X128: isBelow ? state.feeGrowthGlobal0X128 : 0n,
    feeGrowthOutside1X128: isBelow ? state.feeGrowthGlobal1X128 : 0n,
    tickCumulativeOutside: isBelow ? now.tickCumulative : 0n,
    secondsPerLiquidityOutsideX128: isBelow ? now.secondsPerLiquidityCumulativeX128 : 0n,
    secondsOutside: isBelow ? timestamp : 0,
  }
}

function updatedPosition(
  state: PoolState,
  before: PositionState,
  delta: bigint,
  lower: TickState,
  upper: TickState,
): PositionState {
  if (before.liquidity + delta < 0n || (delta === 0n && before.liquidity === 0n)) {
    throw inconsistent('The position does not hold this liquidity: the replay began after it was minted.')
  }
  const { tick: tickCurrent, feeGrowthGlobal0X128, feeGrowthGlobal1X128 } = state
  const ticks = { tickCurrent, tickLower: lower.tick, tickUpper: upper.tick, lower, upper }
  const inside = getFeeGrowthInside({ ...ticks, feeGrowthGlobal0X128, feeGrowthGlobal1X128 })
  const fees0 = feesOwed(before.liquidity, inside.feeGrowthInside0X128, before.feeGrowthInside0LastX128)
  const fees1 = feesOwed(before.liquidity, inside.feeGrowthInside1X128, before.feeGrowthInside1LastX128)
  return {
    liquidity: requireLiquidity(before.liquidity + delta, MAX_UINT128),
    feeGrowthInside0LastX128: inside.feeGrowthInside0X128,
    feeGrowthInside1LastX128: inside.feeGrowthInside1X128,
    tokensOwed0: before.tokensOwed0 + fees0,
    tokensOwed1: before.tokensOwed1 + fees1,
  }
}

/** Source: v3-core Tick `tickSpacingToMaxLiquidityPerTick`. */
function maxLiquidityPerTick(tickSpacing: number): bigint {
  const { tickLower, tickUpper } = fullRangeTicks(tickSpacing)
  return MAX_UINT128 / BigInt((tickUpper - tickLower) / tickSpacing + 1)
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
