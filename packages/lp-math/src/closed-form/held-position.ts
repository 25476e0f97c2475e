import { positionAmounts } from './position-amounts.ts'
import type { PriceBounds } from './price-bounds.ts'

/** A position of liquidity 1 opened at a price, with what `positionMinusHodl` needs of it at every other price. */
export function heldPosition({ lower, upper }: PriceBounds, entryPrice: number): HeldPosition {
  const entry = entryPrice < lower ? lower : entryPrice > upper ? upper : entryPrice
  const [rootLower, rootUpper, rootEntry] = [Math.sqrt(lower), Math.sqrt(upper), Math.sqrt(entry)]
  const { amount0, amount1 } = positionAmounts({ lower, upper }, entryPrice)
  // Each by its name: spread, they would make the object one that is three times as slow to read.
  return {
    amount0,
    amount1,
    lower,
    upper,
    entry,
    rootEntry,
    belowSlope: (entry - lower) / (rootEntry + rootLower),
    belowScale: 1 / (rootLower * rootEntry),
    aboveSlope: (upper - entry) / (rootUpper + rootEntry),
    aboveScale: 1 / (rootUpper * rootEntry),
    withinScale: -1 / rootEntry,
  }
}

export type HeldPosition = {
  /** What it holds at the start, as whoever holds still keeps it. */
  readonly amount0: number
  readonly amount1: number
  readonly lower: number
  readonly upper: number
  /** The price within the bounds that is nearest to that at the start. */
  readonly entry: number
  readonly rootEntry: number
  readonly belowSlope: number
  readonly belowScale: number
  readonly aboveSlope: number
  readonly aboveScale: number
  readonly withinScale: number
}
