import type { PriceBounds } from '../closed-form/price-bounds.ts'
import type { PriceModel } from '../closed-form/price-model.ts'
import { terminalInRangeProbability } from '../closed-form/terminal-in-range-probability.ts'
import { timeInRange } from '../closed-form/time-in-range.ts'

/**
 * By how much the expected share of steps in range, the first and last at half weight, misses the expected share of time in range:
 * exact, because the distribution of the price at each step is known.
 */
export function timeGridError(bounds: PriceBounds, model: PriceModel, steps: number): number {
  let inRange = (model.price >= bounds.lower && model.price < bounds.upper ? 0.5 : 0) / steps
  for (let step = 1; step <= steps; step += 1) {
    const years = (model.years * step) / steps
    const probability = terminalInRangeProbability(bounds, { ...model, years })
    inRange += (step === steps ? 0.5 : 1) * (probability / steps)
  }
  return inRange - timeInRange(bounds, model)
}
