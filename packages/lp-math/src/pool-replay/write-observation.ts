import { currentObservation } from './current-observation.ts'
import type { PoolState } from './pool-state.ts'

/**
 * Writes the oracle's record before the tick or the active liquidity changes, at most one per time (unix seconds).
 * Source: Oracle of v3-core, `write`.
 */
export function writeObservation(state: PoolState, timestamp: number): void {
  const { observationIndex: index, observationCardinality: cardinality } = state
  if (state.observations[index]?.blockTimestamp === timestamp) return
  const isFull = index === cardinality - 1
  if (isFull && state.observationCardinalityNext > cardinality) {
    state.observationCardinality = state.observationCardinalityNext
  }
  const observation = currentObservation(state, timestamp)
  state.observationIndex = (index + 1) % state.observationCardinality
  state.observations[state.observationIndex] = observation
}
