import { Q128, MAX_UINT128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import { getTickAtSqrtPrice, getSqrtPriceAtTick, fullRangeTicks } from '../ticks/ticks.ts'
import { applySwapEvent, requireReplayable, requireTimestamp } from './plan-swap.ts'
import {
  type FeeListener,
  type FeePayment,
  paymentsAt,
  type PoolEvent,
  positionKey,
  type PositionChange,
} from './pool-event.ts'
import {
  type PoolState,
  currentObservation,
  writeObservation,
  findTick,
  type PositionState,
  storeTick,
  type TickState,
} from './pool-state.ts'
import { feesOwed, getFeeGrowthInside } from '../fees/fees.ts'
import { getAmountsForLiquidity } from '../liquidity/liquidity.ts'

/**
 * Brings a v3 pool's state past its next event, bit for bit as the contract stores it: price, liquidity, fee growth, protocol fees,
 * ticks, positions and oracle. Events come in the order of the chain and none is left out; the state is changed in place, or left as
 * it was when this throws. `onFee` hears what the event paid to the providers. Source: v3-core.
 * @throws LpMathError `SWAP_LOGS_INCONSISTENT` for a swap, `POOL_EVENTS_INCONSISTENT` for any other event that could not have followed
 * on the state; `TICK_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`, `LIQUIDITY_OUT_OF_RANGE` for numbers no pool can hold.
 */
export function applyPoolEvent(state: PoolState, event: PoolEvent, onFee?: FeeListener): void {
  const { timestamp } = event
  if (event.eventName === 'Initialize') return initialize(state, event.args, timestamp)
  requireReplayable(state, timestamp)
  switch (event.eventName) {
    case 'Swap':
      return tellOf(applySwapEvent(state, event.args, timestamp), onFee)
    case 'Mint':
      return modifyPosition(state, 1, event.args, timestamp)
    case 'Burn':
      return modifyPosition(state, -1, event.args, timestamp)
    case 'Collect':
      return collect(state, event.args)
    case 'Flash':
      return tellOf(flash(state, event.args, timestamp), onFee)
    case 'SetFeeProtocol':
      return setFeeProtocol(state, event.args)
    case 'CollectProtocol':
      return collectProtocol(state, event.args)
    case 'IncreaseObservationCardinalityNext':
      return increaseObservations(state, event.args)
  }
}

function tellOf(payments: readonly FeePayment[], onFee: FeeListener | undefined): void {
  if (onFee !== undefined) for (const payment of payments) onFee(payment)
}

type ArgsOf<Name extends PoolEvent['eventName']> = Extract<PoolEvent, { eventName: Name }>['args']

function initialize(state: PoolState, { sqrtPriceX96, tick }: ArgsOf<'Initialize'>, timestamp: number): void {
  requireTimestamp(timestamp)
  if (state.sqrtPriceX96 !== 0n) throw inconsistent('A pool is initialised once.')
  if (getTickAtSqrtPrice(sqrtPriceX96) !== tick) throw inconsistent('The tick is the one of the price.')
  state.sqrtPriceX96 = sqrtPriceX96
  state.tick = tick
  state.observationCardinality = 1
  state.observationCardinalityNext = 1
  const start = { tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n }
  state.observations = [{ blockTimestamp: timestamp, ...start, initialized: true }]
}

function collect(state: PoolState, change: ArgsOf<'Collect'>): void {
  const key = positionKey(change)
  const position = state.positions.get(key)
  const owed0 = (position?.tokensOwed0 ?? 0n) - change.amount0
  const owed1 = (position?.tokensOwed1 ?? 0n) - change.amount1
  if (owed0 < 0n || owed1 < 0n || change.amount0 < 0n || change.amount1 < 0n) {
    throw inconsistent('A position collects no more than it is owed.')
  }
  if (position !== undefined) state.positions.set(key, { ...position, tokensOwed0: owed0, tokensOwed1: owed1 })
}

/** What a flash loan pays is a fee on the active liquidity. */
function flash(state: PoolState, { paid0, paid1 }: ArgsOf<'Flash'>, timestamp: number): readonly FeePayment[] {
  if (paid0 < 0n || paid1 < 0n) throw inconsistent('A flash loan pays back at least what it took.')
  if (state.liquidity === 0n) throw inconsistent('A pool without active liquidity lends nothing.')
  const protocol0 = partOf(paid0, state.feeProtocol % 16)
  const protocol1 = partOf(paid1, state.feeProtocol >> 4)
  const grown = (growth: bigint, fee: bigint) => BigInt.asUintN(256, growth + (fee * Q128) / state.liquidity)
  state.protocolFees0 = BigInt.asUintN(128, state.protocolFees0 + protocol0)
  state.protocolFees1 = BigInt.asUintN(128, state.protocolFees1 + protocol1)
  state.feeGrowthGlobal0X128 = grown(state.feeGrowthGlobal0X128, paid0 - protocol0)
  state.feeGrowthGlobal1X128 = grown(state.feeGrowthGlobal1X128, paid1 - protocol1)
  return paymentsAt(state, [paid0 - protocol0, paid1 - protocol1], timestamp)
}

function partOf(fee: bigint, denominator: number): bigint {
  return denominator === 0 ? 0n : fee / BigInt(denominator)
}

function setFeeProtocol(state: PoolState, { feeProtocol0New, feeProtocol1New }: ArgsOf<'SetFeeProtocol'>): void {
  const isAllowed = (part: number) => part === 0 || (Number.isInteger(part) && part >= 4 && part <= 10)
  if (!isAllowed(feeProtocol0New) || !isAllowed(feeProtocol1New)) {
    throw inconsistent('The protocol takes nothing or one part in 4 to 10 of the fee.')
  }
  state.feeProtocol = feeProtocol0New + (feeProtocol1New << 4)
}

function collectProtocol(state: PoolState, { amount0, amount1 }: ArgsOf<'CollectProtocol'>): void {
  if (amount0 < 0n || amount1 < 0n || amount0 > state.protocolFees0 || amount1 > state.protocolFees1) {
    throw inconsistent('The protocol collects no more than it is owed.')
  }
  state.protocolFees0 -= amount0
  state.protocolFees1 -= amount1
}

/** Source: Oracle of v3-core, `grow`: the new records are marked, so that writing them later costs less. */
function increaseObservations(state: PoolState, sizes: ArgsOf<'IncreaseObservationCardinalityNext'>): void {
  const { observationCardinalityNextOld: before, observationCardinalityNextNew: after } = sizes
  if (before !== state.observationCardinalityNext || !Number.isInteger(after) || after <= before || after > 0xffff) {
    throw inconsistent('The oracle grows from the size it had to at most 65535 records.')
  }
  const marked = { blockTimestamp: 1, tickCumulative: 0n, secondsPerLiquidityCumulativeX128: 0n, initialized: false }
  for (let index = before; index < after; index++) state.observations.push(marked)
  state.observationCardinalityNext = after
}

function inconsistent(message: string): LpMathError {
  return new LpMathError('POOL_EVENTS_INCONSISTENT', message)
}

/**
 * A Mint (`side` 1) or Burn (`side` -1) of a position; a burn of no liquidity brings its fees up to date.
 * Source: v3-core `_modifyPosition` and `_updatePosition`, Tick `update`, Position `update`.
 * @throws LpMathError `POOL_EVENTS_INCONSISTENT` when the pool as it stood could not have done it, `TICK_OUT_OF_RANGE`,
 * `LIQUIDITY_OUT_OF_RANGE`.
 */
function modifyPosition(state: PoolState, side: 1 | -1, change: PositionChange, timestamp: number): void {
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
