import { type PriceBounds, requirePrice, requirePriceBounds } from './price-model.ts'

/**
 * What a position of liquidity 1 holds at a price: token0 and token1, in the units in which the price counts.
 * Source: Uniswap v3 whitepaper, equations 6.29 and 6.30; written without differences of nearly equal numbers, so that ranges of one tick keep their digits.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function positionAmounts(bounds: PriceBounds, price: number): { amount0: number; amount1: number } {
  requirePriceBounds(bounds)
  requirePrice(price, 'price')
  return amountsAt(bounds, price)
}

/** The same for bounds and a price that are checked already. */
export function amountsAt({ lower, upper }: PriceBounds, price: number): { amount0: number; amount1: number } {
  const [rootLower, rootUpper] = [Math.sqrt(lower), Math.sqrt(upper)]
  const held = price < lower ? lower : price > upper ? upper : price
  const root = Math.sqrt(held)
  return {
    amount0: upper === Number.POSITIVE_INFINITY ? 1 / root : (upper - held) / ((rootUpper + root) * rootUpper * root),
    amount1: (held - lower) / (root + rootLower),
  }
}

/**
 * Value in token1 of a position of liquidity 1 at a price.
 * Source: Uniswap v3 whitepaper, equations 6.29 and 6.30.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function positionValue(bounds: PriceBounds, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(price, 'price')
  const { amount0, amount1 } = amountsAt(bounds, price)
  return amount0 * price + amount1
}

/** A position of liquidity 1 opened at a price, with what `positionMinusHodl` needs of it at every other price. */
export function heldPosition({ lower, upper }: PriceBounds, entryPrice: number): HeldPosition {
  const entry = entryPrice < lower ? lower : entryPrice > upper ? upper : entryPrice
  const [rootLower, rootUpper, rootEntry] = [Math.sqrt(lower), Math.sqrt(upper), Math.sqrt(entry)]
  const { amount0, amount1 } = amountsAt({ lower, upper }, entryPrice)
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

/**
 * Value in token1, at `price`, of the tokens that a position of liquidity 1 took when it was opened at `entryPrice`.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function hodlValue(bounds: PriceBounds, entryPrice: number, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(entryPrice, 'entryPrice')
  requirePrice(price, 'price')
  const { amount0, amount1 } = amountsAt(bounds, entryPrice)
  return amount0 * price + amount1
}

/** V - HODL at a price in closed form, so that a move of the price by a millionth still gives a difference with all its digits. */
export function positionMinusHodl(position: HeldPosition, price: number): number {
  if (price < position.lower) return position.belowSlope * (price * position.belowScale - 1)
  if (price > position.upper) return position.aboveSlope * (1 - price * position.aboveScale)
  const step = (price - position.entry) / (Math.sqrt(price) + position.rootEntry)
  return step * step * position.withinScale
}

/** The function price -> V/HODL - 1 of a position opened at `entryPrice`; never below -1, which rounding would pass far from the bounds. */
export function lossAgainstHodl(bounds: PriceBounds, entryPrice: number): (price: number) => number {
  const position = heldPosition(bounds, entryPrice)
  const { amount0, amount1 } = position
  // Adding 0 turns the -0 of no loss into 0.
  return (price) => Math.max(positionMinusHodl(position, price) / (amount0 * price + amount1), -1) + 0
}

/**
 * Impermanent loss V/HODL - 1 of a position opened at `entryPrice`, as a fraction: 0 or negative. Fees are no part of it.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function impermanentLoss(bounds: PriceBounds, entryPrice: number, price: number): number {
  requirePriceBounds(bounds)
  requirePrice(entryPrice, 'entryPrice')
  requirePrice(price, 'price')
  return lossAgainstHodl(bounds, entryPrice)(price)
}
