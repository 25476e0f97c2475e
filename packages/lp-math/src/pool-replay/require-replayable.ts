import { LpMathError } from '../lp-math-error.ts'
import type { PoolState } from './pool-state.ts'

/** Refuses what cannot happen in a pool that is not initialised, or before what the pool already remembers. */
export function requireReplayable(state: PoolState, timestamp: number): void {
  requireTimestamp(timestamp)
  if (state.sqrtPriceX96 === 0n) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'The first event of a pool is Initialize.')
  }
  const last = state.observations[state.observationIndex]?.blockTimestamp ?? 0
  if (timestamp < last) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'Events come in the order of the chain: the time runs backwards.')
  }
}

/** Unix seconds that fit the contract's 32 bits. */
export function requireTimestamp(timestamp: number): void {
  if (!Number.isInteger(timestamp) || timestamp < 0 || timestamp > 0xffffffff) {
    throw new LpMathError('POOL_EVENTS_INCONSISTENT', 'A timestamp is an integer number of unix seconds of 32 bits.')
  }
}
