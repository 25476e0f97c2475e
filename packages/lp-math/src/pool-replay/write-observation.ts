import type { Observation, PoolState } from './pool-state.ts'

/**
 * Writes the oracle's record before the tick or the active liquidity changes, at most one per time (unix seconds). A state made by hand
 * without records (`observationCardinality` 0), which no initialised pool has, stays without.
 * Source: Oracle of v3-core, `write`.
 */
export function writeObservation(state: PoolState, timestamp: number): void {
  const { observationIndex: index, observationCardinality: cardinality } = state
  if (cardinality === 0 || state.observations[index]?.blockTimestamp === timestamp) return
  const isFull = index === cardinality - 1
  if (isFull && state.observationCardinalityNext > cardinality) {
    state.observationCardinality = state.observationCardinalityNext
  }
  const observation = currentObservation(state, timestamp)
  state.observationIndex = (index + 1) % state.observationCardinality
  state.observations[state.observationIndex] = observation
}

/**
 * What the oracle of a pool would write down at a time (unix seconds), with the tick and liquidity that held since its last record.
 * Source: Oracle of v3-core, `observeSingle` and `transform`; cumulative values wrap as there.
 */
export function currentObservation(state: PoolState, timestamp: number): Observation {
  const last = state.observations[state.observationIndex] ?? empty
  if (last.blockTimestamp === timestamp) return last
  const elapsed = BigInt((timestamp - last.blockTimestamp) >>> 0)
  const perLiquidity = (elapsed << 128n) / (state.liquidity > 0n ? state.liquidity : 1n)
  return {
    blockTimestamp: timestamp,
    tickCumulative: BigInt.asIntN(56, last.tickCumulative + BigInt(state.tick) * elapsed),
    secondsPerLiquidityCumulativeX128: BigInt.asUintN(160, last.secondsPerLiquidityCumulativeX128 + perLiquidity),
    initialized: true,
  }
}

const empty: Observation = {
  blockTimestamp: 0,
  tickCumulative: 0n,
  secondsPerLiquidityCumulativeX128: 0n,
  initialized: false,
}
