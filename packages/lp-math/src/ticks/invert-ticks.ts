/**
 * A tick range seen from the other order of the two tokens: the price inverts, so the ticks change sign and place.
 * Its own inverse. Ticks found in the caller's order are thus turned into the pool's order exactly, without inverting a price.
 */
export function invertTicks(range: TickRange): TickRange {
  return { tickLower: negate(range.tickUpper), tickUpper: negate(range.tickLower) }
}

export type TickRange = { tickLower: number; tickUpper: number }

function negate(tick: number): number {
  return tick === 0 ? 0 : -tick
}
