import { type EventAmounts, type FeePayment, type PoolEvent, trackFees, type V4PoolEvent } from '@svc/lp-math'

/**
 * Follows a position through the events of its pool. One that is among them counts from the first mint of just this liquidity in this
 * range to the burn of it by the same owner; one that is `added` between two times (unix seconds), beside what was there.
 */
export function followPosition(asked: AskedPosition): FollowedPosition {
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
