import { amountsAt } from '../closed-form/position-value.ts'
import {
  logReturn,
  type PriceBounds,
  type PriceModel,
  requirePriceBounds,
  requirePriceModel,
} from '../closed-form/price-model.ts'
import { createBrownianBridge } from '../random/create-brownian-bridge.ts'
import { createNormalTable, createRandom } from '../random/create-random.ts'
import { createSobol } from '../random/create-sobol.ts'
import { LpMathError, requireCount } from '../lp-math-error.ts'
import { division, type Estimate, estimateOf } from './estimate.ts'

/**
 * Simulates a position that is closed and opened again around the price whenever it was out of range for a share of the trailing 24
 * hours, looked at each step; what lay before it was opened counts as in range. The new bounds stand to the price as the first ones
 * stood to the first price. Between steps the price is not looked at, as a keeper would not: steps are the interval of the keeper.
 *
 * @throws LpMathError on bounds and models that mean nothing; `PRICE_OUT_OF_RANGE` unless the bounds hold the price,
 * `PROBABILITY_OUT_OF_RANGE` for a threshold or a cost outside 0 to 1; `COUNT_OUT_OF_RANGE`, `SEED_OUT_OF_RANGE`
 */
export function simulateRebalancing(options: RebalancingOptions): RebalancingEstimates {
  requireOptions(options)
  const { model, steps, seed } = options
  const { size, replicates } = division(options)
  const source = createPathSource({ model, steps, seed })
  const follow = createRebalancer(options)
  const rows = Array.from({ length: replicates }, (_, replicate) => {
    const drawPath = source.startReplicate(replicate)
    const sums = { rebalances: 0, timeInRange: 0, positionValue: 0 }
    for (let path = 0; path < size; path += 1) {
      drawPath()
      follow(source.path, sums)
    }
    return sums
  })
  const estimate = (name: keyof RebalancingSums) => estimateOf(rows.map((sums) => sums[name] / size))
  return {
    rebalances: estimate('rebalances'),
    timeInRange: estimate('timeInRange'),
    positionValue: estimate('positionValue'),
  }
}

/** When a position is moved, and what a move costs. */
export type RebalancingOptions = {
  readonly model: PriceModel
  /** Of the first position; they hold the price. */
  readonly bounds: PriceBounds
  /** Share of the trailing 24 hours out of range at which the position is moved, 0 to 1; 0 is at the first step out of range. */
  readonly threshold: number
  /** What moving costs, as a share of the position's value, 0 to 1. */
  readonly costPerRebalance: number
  readonly paths: number
  readonly steps: number
  readonly seed: number
  readonly replicates?: number | undefined
}

/** What a simulation says of a position that is moved after the price. */
export type RebalancingEstimates = {
  /** How often the position is moved until the horizon. */
  readonly rebalances: Estimate
  /** Share of the time in the range of the position as it then stands. */
  readonly timeInRange: Estimate
  /** Value at the horizon over the value at the start, after the costs, without fees. */
  readonly positionValue: Estimate
}

function requireOptions({ model, bounds, threshold, costPerRebalance, ...counts }: RebalancingOptions): void {
  requirePriceModel(model)
  requirePriceBounds(bounds)
  if (!(bounds.lower <= model.price && model.price < bounds.upper)) {
    throw new LpMathError('PRICE_OUT_OF_RANGE', 'bounds hold model.price.')
  }
  for (const [field, share] of Object.entries({ threshold, costPerRebalance })) {
    if (!(share >= 0 && share <= 1)) throw new LpMathError('PROBABILITY_OUT_OF_RANGE', `${field} is within 0 and 1.`)
  }
  requireCount(counts.replicates ?? 8, 'replicates', 2, 1_024)
  requireCount(counts.paths, 'paths', counts.replicates ?? 8, 10_000_000)
}

/**
 * Paths of the logarithm of the price over the price now, exact at every step. Each replicate has an independent scramble of the
 * same Sobol sequence: it decides the first 64 points of the bridge, pseudo-random numbers the rest.
 *
 * @throws LpMathError `COUNT_OUT_OF_RANGE`, `SEED_OUT_OF_RANGE`
 */
function createPathSource({ model, steps, seed }: PathSourceOptions): PathSource {
  const { mean, deviation } = logReturn(model)
  const bridge = createBrownianBridge({ steps, deviation, drift: mean })
  const table = createNormalTable()
  const dimensions = bridge.knots.length - 1
  const normals = new Float64Array(steps)
  const path = new Float64Array(steps + 1)
  const startReplicate = (replicate: number) => {
    const sobol = createSobol({ dimensions, seed, stream: replicate })
    const random = createRandom(seed, replicate + 0x80000000)
    return () => {
      table.fill(sobol.next(), normals)
      if (steps > dimensions) random.fillNormals(normals, dimensions, steps)
      bridge.build(normals, path)
    }
  }
  return { path, startReplicate }
}

type PathSourceOptions = { readonly model: PriceModel; readonly steps: number; readonly seed: number }

type PathSource = {
  /** Where each path is written: its logarithms at 0, 1, … `steps`. */
  readonly path: Float64Array
  /** The function that writes the next path of a replicate. */
  startReplicate(replicate: number): () => void
}

/** The function that adds up what happens to a position that is moved by a rule, on one path of logarithms of the price. */
export function createRebalancer(rule: RebalancingRule): (path: Float64Array, sums: RebalancingSums) => void {
  const { model, bounds, threshold, costPerRebalance, steps } = rule
  const range = { lower: bounds.lower / model.price, upper: bounds.upper / model.price }
  const [low, high] = [Math.log(range.lower), Math.log(range.upper)]
  const window = Math.max(Math.round(steps / (model.years * 365)), 1)
  const enough = Math.max(threshold * window - 1e-9, 0.5)
  const valueAt = (price: number) => {
    const { amount0, amount1 } = amountsAt(range, price)
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

type RebalancingRule = {
  readonly model: PriceModel
  readonly bounds: PriceBounds
  readonly threshold: number
  readonly costPerRebalance: number
  readonly steps: number
}

type RebalancingSums = { rebalances: number; timeInRange: number; positionValue: number }
