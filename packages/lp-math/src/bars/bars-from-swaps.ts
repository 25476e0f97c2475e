import { inOneGo } from '../steps/each-in-steps.ts'
import { barsFromSwapsInSteps, type BarsFromSwapsOptions, type TimedSwapLog } from './bars-from-swaps-in-steps.ts'
import type { Bars } from './bars.ts'

/** What `barsFromSwapsInSteps` comes to, at once. Throws what it throws. */
export function barsFromSwaps(swaps: readonly TimedSwapLog[], options: BarsFromSwapsOptions): Bars {
  return inOneGo(barsFromSwapsInSteps(swaps, options))
}
