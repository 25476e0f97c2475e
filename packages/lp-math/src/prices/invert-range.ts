import { invertTicks, type TickRange } from '../ticks/invert-ticks.ts'

/**
 * A range seen from the other order of the two tokens: prices become 1/price, ticks change sign, lower and upper change place.
 * A full range's 0 and Infinity turn into each other.
 */
export function invertRange(range: PriceRange): PriceRange {
  return { ...invertTicks(range), priceLower: 1 / range.priceUpper, priceUpper: 1 / range.priceLower }
}

/** Prices in whole tokens, token1 per token0 in the order the range is seen in. */
export type PriceRange = TickRange & { priceLower: number; priceUpper: number }
