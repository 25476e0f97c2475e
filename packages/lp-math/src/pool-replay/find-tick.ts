import type { PoolState, TickState } from './pool-state.ts'
import { tickIndex } from './tick-index.ts'

/** The record of an initialised tick, or null. */
export function findTick(state: PoolState, tick: number): TickState | null {
  const found = state.ticks[tickIndex(state.ticks, tick)]
  return found?.tick === tick ? found : null
}
