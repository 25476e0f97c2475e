import type { PoolState, TickState } from './pool-state.ts'
import { tickIndex } from './tick-index.ts'

/** Puts a tick's record in its place; one without liquidity is cleared, as the contract clears it. */
export function storeTick(state: PoolState, record: TickState): void {
  const index = tickIndex(state.ticks, record.tick)
  const isThere = state.ticks[index]?.tick === record.tick
  if (record.liquidityGross > 0n) state.ticks.splice(index, isThere ? 1 : 0, record)
  else if (isThere) state.ticks.splice(index, 1)
}
