import type { Policy } from '@svc/engine'
import type { RateFigures } from '../rate-limits/rate-limit.ts'
import type { SlowClientLimits } from '../transports/http.ts'

/** Limits of the transport. */
export type Limits = RateFigures &
  SlowClientLimits & {
    readonly maxSessions: number
    readonly sessionIdleMs: number
    /** What all requests together may hold of bodies that are on their way, beside what is each one's own. */
    readonly bodyRoomBytes: number
    /** How long a WebSocket may stay silent before it is asked whether its client is there, and then until it is closed. */
    readonly pingMs: number
    /** How long closing waits for the calls that are being answered. */
    readonly drainMs: number
  }

export const defaultLimits: Limits = {
  perAddressPerMinute: 1_200,
  unauthenticatedPerMinute: 120,
  perPrincipalPerMinute: 600,
  maxSessions: 1_000,
  sessionIdleMs: 30 * 60_000,
  bodyRoomBytes: 32 * 1_048_576,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  stalledMs: 60_000,
  pingMs: 30_000,
  drainMs: 10_000,
}

/** How many requests a minute the policy allows. */
export function ratesOf({ rateLimits }: Pick<Policy, 'rateLimits'>): RateFigures {
  return {
    perAddressPerMinute: rateLimits.perIp,
    unauthenticatedPerMinute: rateLimits.unauthenticatedPerIp,
    perPrincipalPerMinute: rateLimits.perToken,
  }
}
