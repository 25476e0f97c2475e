import type { PoolState, TickState } from './pool-state.ts'

/** Where a tick stands in a sorted list, or would stand. */
export function tickIndex(ticks: readonly TickState[], tick: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle]?.tick ?? Number.POSITIVE_INFINITY) < tick) low = middle + 1
    else high = middle
  }
  return low
}

/** The record of an initialised tick, or null. */
export function findTick(state: PoolState, tick: number): TickState | null {
  const found = state.ticks[tickIndex(state.ticks, tick)]
  return found?.tick === tick ? found : null
}

/** Puts a tick's record in its place; one without liquidity is cleared, as the contract clears it. */
export function storeTick(state: PoolState, record: TickState): void {
  const index = tickIndex(state.ticks, record.tick)
  const isThere = state.ticks[index]?.tick === record.tick
  if (record.liquidityGross > 0n) state.ticks.splice(index, isThere ? 1 : 0, record)
  else if (isThere) state.ticks.splice(index, 1)
}
