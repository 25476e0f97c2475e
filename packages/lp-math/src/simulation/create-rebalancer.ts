import { positionAmounts } from '../closed-form/position-amounts.ts'
import type { PriceBounds } from '../closed-form/price-bounds.ts'
import type { PriceModel } from '../closed-form/price-model.ts'

/** The function that adds up what happens to a position that is moved by a rule, on one path of logarithms of the price. */
export function createRebalancer(rule: RebalancingRule): (path: Float64Array, sums: RebalancingSums) => void {
  const { model, bounds, threshold, costPerRebalance, steps } = rule
  const range = { lower: bounds.lower / model.price, upper: bounds.upper / model.price }
  const [low, high] = [Math.log(range.lower), Math.log(range.upper)]
  const window = Math.max(Math.round(steps / (model.years * 365)), 1)
  const enough = Math.max(threshold * window - 1e-9, 0.5)
  const valueAt = (price: number) => {
    const { amount0, amount1 } = positionAmounts(range, price)
    return amount0 * price + amount1
  }
  const valueOver = (log: number) => valueAt(Math.exp(Math.min(Math.max(log, -600), 600))) / valueAt(1)
  const wasOut = new Uint8Array(window)
  return (path: Float64Array, sums: RebalancingSums) => {
    wasOut.fill(0)
    let [opened, stepsOut, value, wasIn] = [0, 0, 1, 1]
    for (let step = 1; step <= steps; step += 1) {
      const log = (path[step] ?? 0) - opened
      const isIn = log >= low && log < high ? 1 : 0
      sums.timeInRange += (wasIn + isIn) / (2 * steps)
      wasIn = isIn
      stepsOut += 1 - isIn - (wasOut[step % window] ?? 0)
      wasOut[step % window] = 1 - isIn
      if (stepsOut < enough || step === steps) continue
      value *= valueOver(log) * (1 - costPerRebalance)
      sums.rebalances += 1
      opened += log
      stepsOut = 0
      wasIn = 1
      wasOut.fill(0)
    }
    sums.positionValue += value * valueOver((path[steps] ?? 0) - opened)
  }
}

export type RebalancingRule = {
  readonly model: PriceModel
  readonly bounds: PriceBounds
  readonly threshold: number
  readonly costPerRebalance: number
  readonly steps: number
}

export type RebalancingSums = { rebalances: number; timeInRange: number; positionValue: number }
