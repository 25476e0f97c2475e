import type { HeldPosition } from './held-position.ts'

/** V - HODL at a price in closed form, so that a move of the price by a millionth still gives a difference with all its digits. */
export function positionMinusHodl(position: HeldPosition, price: number): number {
  if (price < position.lower) return position.belowSlope * (price * position.belowScale - 1)
  if (price > position.upper) return position.aboveSlope * (1 - price * position.aboveScale)
  const step = (price - position.entry) / (Math.sqrt(price) + position.rootEntry)
  return step * step * position.withinScale
}
