import { createCircuitBreaker, type CircuitBreaker } from './circuit-breaker.ts'
import { type Pause, readPause, isPaused } from './kill-switch.ts'
import type { SwitchPlace } from './switch-text.ts'
import { type Refusal, type Weighed, onStorage } from '../call/refusal.ts'

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

/**
 * Whether this may be signed now: kill switch and circuit breaker, both read anew. Some breakers stop all but what only
 * brings funds home (`isWayHome`, asked only then, since it takes reading the calldata), others that too; the kill switch stops everything.
 */
export async function requireRunning(
  engine: SwitchPlace & { readonly breaker: Pick<CircuitBreaker, 'stops'> },
  isWayHome: () => boolean | Promise<boolean>,
): Promise<Weighed> {
  const [paused, stops] = await onStorage('the kill switch and the breaker cannot be read', () =>
    Promise.all([isPaused(engine), engine.breaker.stops()]),
  )
  const passes = stops === 'nothing' || (stops === 'all-but-ways-home' && (await isWayHome()))
  return { refusals: [...(paused ? [pausedRefusal] : []), ...(passes ? [] : [openRefusals[stops]])] }
}

/** Whether what ends something may be signed now, which an open breaker does not stop: the kill switch alone, read anew. */
export async function requireUnpaused(place: SwitchPlace): Promise<Weighed> {
  const paused = await onStorage('the kill switch cannot be read', () => isPaused(place))
  return { refusals: paused ? [pausedRefusal] : [] }
}

const pausedRefusal: Refusal = { code: 'SERVER_PAUSED', message: 'The operator has paused signing.' }

const openRefusals: Readonly<Record<'all-but-ways-home' | 'everything', Refusal>> = {
  'all-but-ways-home': {
    code: 'CIRCUIT_BREAKER_OPEN',
    message: 'The circuit breaker is open: until the operator re-arms it, only what brings funds home is signed.',
    suggestion:
      'Liquidity can still be removed and fees collected, to the wallet itself; for all else the operator must re-arm it. check_safety_status says why.',
  },
  everything: {
    code: 'CIRCUIT_BREAKER_OPEN',
    message: 'The circuit breaker is open; signing has stopped until the operator re-arms it.',
  },
}
