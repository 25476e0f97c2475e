import { inOneGo } from '../steps/each-in-steps.ts'
import {
  type FeeGrowth,
  feeGrowthFromSwapsInSteps,
  type FeeGrowthFromSwapsOptions,
} from './fee-growth-from-swaps-in-steps.ts'

/** What `feeGrowthFromSwapsInSteps` comes to, at once. Throws what it throws. */
export function feeGrowthFromSwaps(options: FeeGrowthFromSwapsOptions): FeeGrowth {
  return inOneGo(feeGrowthFromSwapsInSteps(options))
}
