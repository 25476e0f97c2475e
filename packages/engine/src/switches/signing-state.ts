import { createCircuitBreaker } from './circuit-breaker.ts'
import { type Pause, readPause } from './kill-switch.ts'
import type { SwitchPlace } from './switch-text.ts'

/** What stands against signing on a data directory, or on the database that its server shares: a pause, and the circuit breaker. */
export async function readSigningState(place: SwitchPlace): Promise<SigningState> {
  const breaker = createCircuitBreaker({ ...place, limits: () => neverCounted, now: Date.now })
  const [pause, { open, since, cause, stops }] = await Promise.all([readPause(place), breaker.status()])
  return { pause, breaker: { open, since, cause, stops } }
}

export type SigningState = {
  /** `null` while nothing is paused. */
  readonly pause: Pause | null
  readonly breaker: {
    readonly open: boolean
    /** ISO 8601. */
    readonly since: string | null
    readonly cause: string | null
    readonly stops: 'nothing' | 'all-but-ways-home' | 'everything'
  }
}

/** A command counts no failures. */
export const neverCounted = { maxConsecutiveFailures: Infinity, maxFailuresInWindow: Infinity, windowMinutes: 0 }
