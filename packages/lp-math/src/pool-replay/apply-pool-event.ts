import { Q128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import { getTickAtSqrtPrice } from '../ticks/sqrt-price-of-tick.ts'
import { applySwapEvent, requireReplayable, requireTimestamp } from './apply-swap-event.ts'
import { type FeeListener, type FeePayment, paymentsAt } from './fee-payment.ts'
import { modifyPosition } from './modify-position.ts'
import { type PoolEvent, positionKey } from './pool-event.ts'
import type { PoolState } from './pool-state.ts'

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
