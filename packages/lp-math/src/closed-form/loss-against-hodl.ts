import { positionAmounts } from './position-amounts.ts'
import type { PriceBounds } from './price-bounds.ts'

/**
 * The function price -> V/HODL - 1 of a position opened at `entryPrice`. V - HODL is taken in closed form, so that a move of the
 * price by a millionth still gives a loss with all its digits.
 */
export function lossAgainstHodl({ lower, upper }: PriceBounds, entryPrice: number): (price: number) => number {
  const { amount0, amount1 } = positionAmounts({ lower, upper }, entryPrice)
  const entry = entryPrice < lower ? lower : entryPrice > upper ? upper : entryPrice
  const [rootLower, rootUpper, rootEntry] = [Math.sqrt(lower), Math.sqrt(upper), Math.sqrt(entry)]
  const [belowSlope, belowScale] = [(entry - lower) / (rootEntry + rootLower), 1 / (rootLower * rootEntry)]
  const [aboveSlope, aboveScale] = [(upper - entry) / (rootUpper + rootEntry), 1 / (rootUpper * rootEntry)]
  const withinScale = -1 / rootEntry
  // Adding 0 turns the -0 of no loss into 0.
  return (price) => positionMinusHodl(price) / (amount0 * price + amount1) + 0

  function positionMinusHodl(price: number): number {
    if (price < lower) return belowSlope * (price * belowScale - 1)
    if (price > upper) return aboveSlope * (1 - price * aboveScale)
    const step = (price - entry) / (Math.sqrt(price) + rootEntry)
    return step * step * withinScale
  }
}
