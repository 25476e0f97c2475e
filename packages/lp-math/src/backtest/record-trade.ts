import type { StateBeforeSwaps, TimedSwapLog } from '../bars/make-bars.ts'
import { LpMathError } from '../lp-math-error.ts'
import { applyPoolEvent } from '../pool-replay/apply-pool-event.ts'
import { applyV4PoolEvent } from '../pool-replay/apply-v4-pool-event.ts'
import type { FeePayment, PoolEvent, SwapFields } from '../pool-replay/pool-event.ts'
import type { PoolState } from '../pool-replay/pool-state.ts'
import type { V4PoolEvent, V4PoolState } from '../pool-replay/v4-pool-state.ts'
import { type ProtocolFee, unpackProtocolFee } from '../fees/fees.ts'

/**
 * Replays all events of a pool, and keeps of a span of time what was traded and what each step of it paid to the providers: what
 * `resolution: 'swap'` of a backtest needs. The state is brought past the events.
 * @throws LpMathError as `applyPoolEvent` and `applyV4PoolEvent`, with the place of the event in `events` before the message;
 * `POOL_EVENTS_INCONSISTENT` where the pool has no price by the end of the span.
 */
export function recordTrade(pool: PoolEvents, span: TradeSpan): PoolTrade {
  const payments: FeePayment[] = []
  const swaps: TimedSwapLog[] = []
  const ticks: number[] = []
  let start: StateAtStart | null = null
  const onFee = (payment: FeePayment) => {
    if (payment.timestamp >= span.startsAt) payments.push(payment)
  }
  for (const [index, event] of pool.events.entries()) {
    if (event.timestamp >= span.endsAt) break
    const isTraded = event.eventName === 'Swap' && event.timestamp >= span.startsAt
    if (isTraded) start ??= startOf(pool)
    applyAt(pool, index, onFee)
    if (!isTraded) continue
    swaps.push(logOf(event))
    ticks.push(event.args.tick)
  }
  start ??= startOf(pool)
  if (start.sqrtPriceX96 === 0n) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'The pool has no price yet when the span ends.')
  }
  return { startsAt: span.startsAt, endsAt: span.endsAt, start, swaps, ticks, payments }
}

/** All events of a pool from its Initialize on, and the pool as it was before them. */
export type PoolEvents =
  | { readonly version: 'v3'; readonly state: PoolState; readonly events: readonly PoolEvent[] }
  | { readonly version: 'v4'; readonly state: V4PoolState; readonly events: readonly V4PoolEvent[] }

/** In unix seconds, the end left out. */
export type TradeSpan = { readonly startsAt: number; readonly endsAt: number }

/** What a pool traded in a span of time: swaps seen from the pool, and the payments of each of their steps, in the order of the chain. */
export type PoolTrade = TradeSpan & {
  readonly start: StateAtStart
  readonly swaps: readonly TimedSwapLog[]
  /** Of the pool after each swap. */
  readonly ticks: readonly number[]
  readonly payments: readonly FeePayment[]
}

/** Price, tick, active liquidity and the protocol's part of the fee before the first swap of the span. */
export type StateAtStart = StateBeforeSwaps & { readonly tick: number; readonly protocolFee: ProtocolFee }

function startOf({ version, state }: PoolEvents): StateAtStart {
  const { sqrtPriceX96, liquidity, tick } = state
  const packed = version === 'v4' ? state.protocolFee : state.feeProtocol
  return { sqrtPriceX96, liquidity, tick, protocolFee: unpackProtocolFee(version, packed) }
}

function applyAt(pool: PoolEvents, index: number, onFee: (payment: FeePayment) => void): void {
  try {
    if (pool.version === 'v4') {
      const event = pool.events[index]
      if (event !== undefined) applyV4PoolEvent(pool.state, event, onFee)
    } else {
      const event = pool.events[index]
      if (event !== undefined) applyPoolEvent(pool.state, event, onFee)
    }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw new LpMathError(error.code, `events[${index}]: ${error.message}`)
  }
}

/** v4 writes the trader's side, and a fee with each swap. */
function logOf({ args, timestamp }: Extract<PoolEvent | V4PoolEvent, { eventName: 'Swap' }>): TimedSwapLog {
  const { amount0, amount1, sqrtPriceX96: sqrtPriceX96After, liquidity }: SwapFields = args
  if (!('fee' in args)) return { amount0, amount1, sqrtPriceX96After, liquidity, timestamp }
  return { amount0: -amount0, amount1: -amount1, sqrtPriceX96After, liquidity, feePips: args.fee, timestamp }
}
