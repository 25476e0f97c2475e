import {
  applyPoolEvent,
  applyV4PoolEvent,
  createPoolState,
  createV4PoolState,
  eventDifferences,
  type FeeListener,
  type FieldDifference,
  LpMathError,
  type PoolEvent,
  type PoolState,
  type V4PoolEvent,
  v4EventDifferences,
  type V4PoolState,
  type EventAmounts,
  type FeePayment,
  trackFees,
} from '@svc/lp-math'
import type { PoolEvents } from './read-pool-events.ts'

/**
 * Replays the events of a pool and says how it stands at their end, what was traded, and what a position earned, to the unit. Where an event
 * could not have followed on those before it the replay ends there, and `mismatch` says in which fields. Amounts and other whole numbers of
 * the contracts are decimal texts. Throws `LpMathError` for terms that no pool has, `HOOK_CHANGES_AMOUNTS` among them.
 */
export function replayEvents(read: PoolEvents, terms: ReplayTerms, asked: AskedPosition | null) {
  const pool = poolOf(read, terms)
  const followed = asked === null ? null : followPosition(asked)
  const traded = { swaps: 0, volume0: 0n, volume1: 0n, fees: [0n, 0n] as [bigint, bigint] }
  const onFee: FeeListener = (payment) => {
    traded.fees[payment.token] += payment.fee
    followed?.pay(payment)
  }
  let replayed = 0
  let mismatch: Mismatch | null = null
  for (const { line, event } of read.events) {
    mismatch = applied(pool, { line, event }, onFee)
    if (mismatch !== null) break
    replayed += 1
    followed?.see({ line, event })
    if (event.eventName === 'Swap') countSwap(traded, event, read.version)
  }
  return {
    version: read.version,
    events: replayed,
    from: timeOf(read.events[0]?.event.timestamp),
    until: timeOf(read.events[Math.max(0, replayed - 1)]?.event.timestamp),
    state: { ...stateOf(pool.state), initialisedTicks: pool.state.ticks.length, positions: pool.state.positions.size },
    trade: {
      swaps: traded.swaps,
      volume0: String(traded.volume0),
      volume1: String(traded.volume1),
      providerFees0: String(traded.fees[0]),
      providerFees1: String(traded.fees[1]),
    },
    position: asked === null || followed === null ? null : describePosition(asked, followed),
    mismatch,
  }
}

/** What the events of a v3 pool do not tell. */
export type ReplayTerms = { readonly feePips: number; readonly tickSpacing: number } | null

export type ReplayReport = ReturnType<typeof replayEvents>

/** `fields` is empty where a rule was broken that no field tells; the numbers are decimal texts. */
export type Mismatch = {
  readonly line: number
  readonly event: string
  readonly code: string
  readonly message: string
  readonly fields: readonly { readonly field: string; readonly logged: string; readonly replayed: string }[]
  readonly fix: string
}

type SeenEvent = { readonly line: number; readonly event: PoolEvent | V4PoolEvent }

type Pool = {
  readonly state: PoolState | V4PoolState
  readonly apply: (event: PoolEvent | V4PoolEvent, onFee: FeeListener) => void
  readonly differences: (event: PoolEvent | V4PoolEvent) => readonly FieldDifference[]
}

/** The events were read by the names of their version. */
function poolOf(read: PoolEvents, terms: ReplayTerms): Pool {
  if (read.version === 'v4') {
    const state = createV4PoolState(read.terms)
    return {
      state,
      apply: (event, onFee) => applyV4PoolEvent(state, event as V4PoolEvent, onFee),
      differences: (event) => v4EventDifferences(state, event as V4PoolEvent),
    }
  }
  if (terms === null) throw new TypeError('the fee of a v3 pool is known')
  const state = createPoolState(terms)
  return {
    state,
    apply: (event, onFee) => applyPoolEvent(state, event as PoolEvent, onFee),
    differences: (event) => eventDifferences(state, event as PoolEvent),
  }
}

function applied({ apply, differences }: Pool, { line, event }: SeenEvent, onFee: FeeListener): Mismatch | null {
  try {
    apply(event, onFee)
    return null
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    const fields = differences(event).map(({ field, logged, replayed }) => ({
      field: `args.${field}`,
      logged: String(logged),
      replayed: String(replayed),
    }))
    return {
      line,
      event: event.eventName,
      code: error.code,
      message: error.message,
      fields,
      fix: fixes(event.eventName),
    }
  }
}

function fixes(eventName: string): string {
  return eventName === 'Swap'
    ? 'Hand in every event of this pool from its Initialize on, in the order of block and log index; and check --fee and --tick-spacing.'
    : 'Hand in every event of this pool from its Initialize on, in the order of block and log index, each once.'
}

type Trade = { swaps: number; volume0: bigint; volume1: bigint }

/** What traders paid in, fees included; v4 writes the trader's side. */
function countSwap(trade: Trade, event: SeenEvent['event'], version: 'v3' | 'v4'): void {
  if (event.eventName !== 'Swap') return
  const sign = version === 'v4' ? -1n : 1n
  const paid = (amount: bigint) => (amount * sign > 0n ? amount * sign : 0n)
  trade.swaps += 1
  trade.volume0 += paid(event.args.amount0)
  trade.volume1 += paid(event.args.amount1)
}

function stateOf(state: PoolState | V4PoolState) {
  const { sqrtPriceX96, tick, liquidity, feeGrowthGlobal0X128, feeGrowthGlobal1X128 } = state
  const shared = {
    sqrtPriceX96: String(sqrtPriceX96),
    tick,
    liquidity: String(liquidity),
    feeGrowthGlobal0X128: String(feeGrowthGlobal0X128),
    feeGrowthGlobal1X128: String(feeGrowthGlobal1X128),
  }
  if ('protocolFee' in state) return { ...shared, protocolFee: state.protocolFee }
  const { feeProtocol, protocolFees0, protocolFees1 } = state
  return { ...shared, feeProtocol, protocolFees0: String(protocolFees0), protocolFees1: String(protocolFees1) }
}

function describePosition(asked: AskedPosition, followed: ReturnType<typeof followPosition>) {
  const { tickLower, tickUpper, liquidity, added } = asked
  const held = followed.held()
  const fees = followed.fees()
  return {
    tickLower,
    tickUpper,
    liquidity: String(liquidity),
    isAdded: added !== null,
    from: timeOf(added === null ? held?.from : added.from),
    until: timeOf(added === null ? (held?.until ?? undefined) : added.until),
    mintedOnLine: held?.fromLine ?? null,
    burnedOnLine: held?.untilLine ?? null,
    fees0: fees === null ? null : String(fees.amount0),
    fees1: fees === null ? null : String(fees.amount1),
  }
}

function timeOf(seconds: number | undefined): string | null {
  return seconds === undefined || !Number.isFinite(seconds) ? null : new Date(seconds * 1000).toISOString()
}

/**
 * Follows a position through the events of its pool. One that is among them counts from the first mint of just this liquidity in this
 * range to the burn of it by the same owner; one that is `added` between two times (unix seconds), beside what was there.
 */
function followPosition(asked: AskedPosition): FollowedPosition {
  const { tickLower, tickUpper, liquidity, added } = asked
  const tracker = trackFees({ tickLower, tickUpper, liquidity, isInPool: added === null })
  let held: Held | null = null
  return {
    see({ event, line }) {
      if (added !== null) return
      const change = changeOf(event)
      if (change === null || change.tickLower !== tickLower || change.tickUpper !== tickUpper) return
      if (held === null && change.delta === liquidity) {
        held = { ...change, fromLine: line, from: event.timestamp, untilLine: null, until: null }
      } else if (held?.until === null && held.who === change.who && change.delta === -liquidity) {
        held = { ...held, untilLine: line, until: event.timestamp }
      }
    },
    pay(payment) {
      const { timestamp } = payment
      const isHeld =
        added === null ? held !== null && held.until === null : timestamp > added.from && timestamp <= added.until
      if (isHeld) tracker.pay(payment)
    },
    fees: () => (added === null && held === null ? null : tracker.fees()),
    held: () => held,
  }
}

/** `liquidity` is above 0. */
export type AskedPosition = {
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  readonly added: { readonly from: number; readonly until: number } | null
}

type FollowedPosition = {
  /** Of each event, once it has been applied. */
  readonly see: (seen: { readonly line: number; readonly event: PoolEvent | V4PoolEvent }) => void
  readonly pay: (payment: FeePayment) => void
  /** `null` where no event minted the position. */
  readonly fees: () => EventAmounts | null
  /** When a position that is among the events was there: times in unix seconds, `null` until the end. */
  readonly held: () => Held | null
}

type Held = {
  readonly who: string
  readonly fromLine: number
  readonly from: number
  readonly untilLine: number | null
  readonly until: number | null
}

/** What an event changed of whose liquidity. */
function changeOf({ eventName, args }: PoolEvent | V4PoolEvent) {
  if (eventName === 'ModifyLiquidity') {
    const { tickLower, tickUpper, liquidityDelta: delta, sender, salt } = args
    return { tickLower, tickUpper, delta, who: `${sender}:${salt}`.toLowerCase() }
  }
  if (eventName !== 'Mint' && eventName !== 'Burn') return null
  const { tickLower, tickUpper, amount, owner } = args
  return { tickLower, tickUpper, delta: eventName === 'Mint' ? amount : -amount, who: owner.toLowerCase() }
}
