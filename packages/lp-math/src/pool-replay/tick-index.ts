import type { TickState } from './pool-state.ts'

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
