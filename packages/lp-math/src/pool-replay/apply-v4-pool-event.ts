import { v4SwapFee } from '../fees/fees.ts'
import { isZeroForOne, unpackProtocolFee } from '../fees/fee-growth-from-swaps-in-steps.ts'
import { Q128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'
import type { SwapStep } from '../swaps/compute-swap-step.ts'
import { getTickAtSqrtPrice } from '../ticks/sqrt-price-of-tick.ts'
import { planOfEvent, requireTimestamp, type TimedSwap } from './apply-swap-event.ts'
import { type FeeListener, type FeePayment, paymentsAt } from './fee-payment.ts'
import { modifyV4Position } from './modify-v4-position.ts'
import { growthBeyond, planThrough, type SwapOrder, type SwapPlan } from './plan-swap.ts'
import type { EventAmounts } from './pool-event.ts'
import { storeTick, type TickRecord } from './pool-state.ts'
import type { V4PoolEvent, V4SwapFields } from './v4-pool-event.ts'
import type { V4PoolState } from './v4-pool-state.ts'

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
