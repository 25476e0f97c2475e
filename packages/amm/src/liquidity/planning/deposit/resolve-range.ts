import {
  fullRangeTicks,
  invertTicks,
  LpMathError,
  MAX_TICK,
  nearestUsableTick,
  priceFromTick,
  tickFromPrice,
  type TickRange,
  tickSpacingForFee,
} from '@svc/lp-math'
import type { AddRequest } from '../../../ports.ts'
import { refuseField } from '../refusals.ts'

/**
 * The ticks, in the pool's order, of a range that the caller gave in its own order of tokens. Each bound snaps to the
 * nearest usable tick, so that bounds read from an earlier answer come back unchanged; 0 and Infinity are the outermost ones. A bound
 * that would cross the price so goes to the next one outward: what was to earn at the price does.
 *
 * @throws ToolError `VALIDATION_FAILED` naming the bound that is missing, unreachable, not below the other, or collapsed.
 */
export function resolveRange(options: RangeOptions): TickRange {
  const { range, tickSpacing, inverted } = options
  if (range === null) {
    throw refuseField('priceLower', 'A position needs a range.', 'priceLower and priceUpper, or rangeStrategy')
  }
  if (range === 'full') return fullRangeTicks(tickSpacing)
  const bounds = 'pctEachSide' in range ? around(options.currentPrice, range.pctEachSide) : range
  if (!(bounds.priceLower < bounds.priceUpper)) throw refuseOrder(bounds)
  const ticks = {
    tickLower: usableTick(bounds.priceLower, 'priceLower', options),
    tickUpper: usableTick(bounds.priceUpper, 'priceUpper', options),
  }
  if (ticks.tickLower === ticks.tickUpper) throw refuseCollapsed(tickSpacing)
  const used = holding(bounds, ticks, options)
  return inverted ? invertTicks(used) : used
}

export type RangeOptions = {
  readonly range: AddRequest['range']
  readonly tickSpacing: number
  readonly inverted: boolean
  /** Price and decimals in the caller's order. */
  readonly currentPrice: number
  readonly decimals0: number
  readonly decimals1: number
}

/** The tick spacing that goes with a fee tier. Throws `VALIDATION_FAILED` for a missing fee and for one that is no tier. */
export function customarySpacing(fee: number | null): { fee: number; tickSpacing: number } {
  try {
    if (fee !== null) return { fee, tickSpacing: tickSpacingForFee(fee) }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
  }
  const message = fee === null ? 'The fee says which pool of the pair is meant.' : 'No pool is created with this fee.'
  throw refuseField('fee', message, '100, 500, 3000 or 10000')
}

type Bounds = { readonly priceLower: number; readonly priceUpper: number }

function around(price: number, pctEachSide: number): Bounds {
  if (!(pctEachSide > 0 && pctEachSide < 100)) {
    throw refuseField('rangeStrategy', 'A range reaches less than 100 % below the price.', 'above 0 and below 100')
  }
  return { priceLower: price * (1 - pctEachSide / 100), priceUpper: price * (1 + pctEachSide / 100) }
}

/** Ticks that hold the price where the bounds asked for do. */
function holding(
  { priceLower, priceUpper }: Bounds,
  { tickLower, tickUpper }: TickRange,
  { currentPrice, tickSpacing, decimals0, decimals1 }: RangeOptions,
): TickRange {
  const isBetween = (lower: number, upper: number) =>
    lower * (1 + atTheBound) < currentPrice && currentPrice < upper * (1 - atTheBound)
  if (!isBetween(priceLower, priceUpper)) return { tickLower, tickUpper }
  const widest = fullRangeTicks(tickSpacing)
  const priceAt = (tick: number) => priceFromTick(tick, decimals0, decimals1)
  const isAbove = tickLower !== widest.tickLower && !isBetween(priceAt(tickLower), Number.POSITIVE_INFINITY)
  const isBelow = tickUpper !== widest.tickUpper && !isBetween(0, priceAt(tickUpper))
  return {
    tickLower: isAbove ? tickLower - tickSpacing : tickLower,
    tickUpper: isBelow ? tickUpper + tickSpacing : tickUpper,
  }
}

/** A price that is read from a tick differs from the pool's at it in its last digits. */
const atTheBound = 1e-9

function usableTick(price: number, field: string, options: RangeOptions): number {
  if (price === 0) return fullRangeTicks(options.tickSpacing).tickLower
  if (price === Number.POSITIVE_INFINITY) return fullRangeTicks(options.tickSpacing).tickUpper
  try {
    const tick = nearestTick(price, options.decimals0, options.decimals1)
    return nearestUsableTick(tick, options.tickSpacing)
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseField(
      field,
      'No pool can reach this price.',
      'a price above 0 that a pool can reach; full for all of them',
    )
  }
}

function refuseOrder(bounds: Bounds) {
  return refuseField(
    'priceUpper',
    `The range is empty: ${bounds.priceUpper} is not above ${bounds.priceLower}.`,
    'a price above priceLower, both as token1 per token0',
  )
}

function refuseCollapsed(tickSpacing: number) {
  const stepPct = (1.0001 ** tickSpacing - 1) * 100
  return refuseField(
    'priceUpper',
    'Both prices snap to the same tick.',
    `bounds at least ${stepPct.toFixed(2)} % apart: this pool has a tick spacing of ${tickSpacing}`,
  )
}

/**
 * The tick whose price is nearest to `price` (whole tokens, token1 per token0) by ratio. Rounding down instead would turn
 * a price that was read from a tick into the tick below it.
 *
 * @throws LpMathError `PRICE_OUT_OF_RANGE` where no tick has such a price.
 */
export function nearestTick(price: number, decimals0: number, decimals1: number): number {
  const below = tickFromPrice(price, decimals0, decimals1)
  if (below === MAX_TICK) return below
  const down = price / priceFromTick(below, decimals0, decimals1)
  const up = priceFromTick(below + 1, decimals0, decimals1) / price
  return up < down ? below + 1 : below
}
