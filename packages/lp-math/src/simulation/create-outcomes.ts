import { heldPosition, type HeldPosition, positionMinusHodl } from '../closed-form/position-value.ts'
import type { PriceBounds } from '../closed-form/price-model.ts'
import { countBelow } from './estimate.ts'
import { type LossPercentiles, lossPercentiles } from './loss-percentiles.ts'

/**
 * What positions that are opened at a price are worth at the ends of paths, range by range.
 *
 * @param count - how many ends there are: rising logarithms of the price over the price at which they are opened
 */
export function createOutcomes(
  ranges: readonly PriceBounds[],
  entryPrice: number,
  count: number,
): (ends: Float64Array) => Outcome[] {
  const positions = ranges.map((bounds) => {
    const position = heldPosition(bounds, entryPrice)
    return { position, valueAtStart: position.amount0 * entryPrice + position.amount1 }
  })
  const prices = new Float64Array(count)
  const losses = new Float64Array(count)
  return (ends) => {
    fillPrices(prices, ends, entryPrice)
    const peak = countBelow(ends, 0)
    return positions.map(({ position, valueAtStart }) => {
      const { lost, value } = fillLosses(losses, prices, position)
      const il = { mean: lost / count, ...lossPercentiles(losses, peak) }
      return { il, positionValue: value / (count * valueAtStart) }
    })
  }
}

export type Outcome = {
  readonly il: LossPercentiles & { readonly mean: number }
  /** Mean value at the end over the value at the start. */
  readonly positionValue: number
}

/** Keeps prices finite and above 0 where a price has all but vanished. */
const furthest = 600

function fillPrices(prices: Float64Array, logs: Float64Array, entryPrice: number): void {
  for (let index = 0; index < logs.length; index += 1) {
    const log = logs[index] ?? 0
    prices[index] = entryPrice * Math.exp(log < -furthest ? -furthest : log > furthest ? furthest : log)
  }
}

/** Writes V/HODL - 1 at each price, and returns its sum and that of V. */
function fillLosses(losses: Float64Array, prices: Float64Array, position: HeldPosition) {
  let lost = 0
  let value = 0
  for (let index = 0; index < prices.length; index += 1) {
    const price = prices[index] ?? 0
    const hodl = position.amount0 * price + position.amount1
    const difference = positionMinusHodl(position, price)
    // Adding 0 turns the -0 of no loss into 0.
    const loss = difference / hodl + 0
    losses[index] = loss
    lost += loss
    value += hodl + difference
  }
  return { lost, value }
}
