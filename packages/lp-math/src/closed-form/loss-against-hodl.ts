import { heldPosition } from './held-position.ts'
import { positionMinusHodl } from './position-minus-hodl.ts'
import type { PriceBounds } from './price-bounds.ts'

/** The function price -> V/HODL - 1 of a position opened at `entryPrice`. */
export function lossAgainstHodl(bounds: PriceBounds, entryPrice: number): (price: number) => number {
  const position = heldPosition(bounds, entryPrice)
  const { amount0, amount1 } = position
  // Adding 0 turns the -0 of no loss into 0.
  return (price) => positionMinusHodl(position, price) / (amount0 * price + amount1) + 0
}
