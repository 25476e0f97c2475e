import { lossAgainstHodl } from '../closed-form/loss-against-hodl.ts'
import { positionAmounts } from '../closed-form/position-amounts.ts'
import type { PriceBounds } from '../closed-form/price-bounds.ts'
import { lossStatistics, type LossStatistics } from './loss-statistics.ts'

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
    const { amount0, amount1 } = positionAmounts(bounds, entryPrice)
    return { loss: lossAgainstHodl(bounds, entryPrice), amount0, amount1, value: amount0 * entryPrice + amount1 }
  })
  const prices = new Float64Array(count)
  const losses = new Float64Array(count)
  const sorted = new Float64Array(count)
  return (ends) => {
    fillPrices(prices, ends, entryPrice)
    return positions.map((position) => {
      const sum = fillLosses(losses, prices, position)
      return { il: lossStatistics(losses, sorted), positionValue: sum / (count * position.value) }
    })
  }
}

export type Outcome = {
  readonly il: LossStatistics
  /** Mean value at the end over the value at the start. */
  readonly positionValue: number
}

/** Keeps prices finite and above 0 where a price has all but vanished. */
const furthest = 600

type Position = {
  readonly loss: (price: number) => number
  readonly amount0: number
  readonly amount1: number
  readonly value: number
}

function fillPrices(prices: Float64Array, logs: Float64Array, entryPrice: number): void {
  for (let index = 0; index < logs.length; index += 1) {
    const log = logs[index] ?? 0
    prices[index] = entryPrice * Math.exp(log < -furthest ? -furthest : log > furthest ? furthest : log)
  }
}

/** Writes V/HODL - 1 at each price, and returns the sum of V. */
function fillLosses(losses: Float64Array, prices: Float64Array, { loss, amount0, amount1 }: Position): number {
  let sum = 0
  for (let index = 0; index < prices.length; index += 1) {
    const price = prices[index] ?? 0
    const lost = loss(price)
    losses[index] = lost
    sum += (1 + lost) * (amount0 * price + amount1)
  }
  return sum
}
