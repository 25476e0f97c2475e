import type { ReferencePool } from '@svc/wallet/core'
import type { PriceSide } from './price-range.ts'
import { getAmountsForLiquidity, getSqrtPriceAtTick, getTickAtSqrtPrice, MAX_TICK } from '@svc/lp-math'

/** Everything that is known of a pool's price, before it is judged. */
export type PoolReading = {
  readonly row: PoolRow
  /** The token the price is in, as readings are keyed: its address in lower case, the wrapped one for native currency. */
  readonly quoteKey: string
  readonly side: PriceSide
  /** Why its row is not believed, so that nothing is read of it; else `null`. */
  readonly fault: string | null
  /** At the head; `null` where no such pool stands, or it has no price. */
  readonly now: PoolSnapshot | null
  /** Smallest units that the pool really holds now; `null` where no contract tells it, as in v4. */
  readonly held: { readonly token: bigint; readonly quote: bigint } | null
  /** v3: what the pool's own oracle remembers of earlier times; empty where that does not reach back. */
  readonly observed: readonly PoolSample[]
  /** v3: single seconds of the last half hour that nobody could know beforehand; empty where the oracle does not reach back. */
  readonly recalled: readonly RecalledMoment[]
  /** At older blocks, of which the endpoint has the state. */
  readonly older: readonly PoolSnapshot[]
  /** What this server saw at other times. */
  readonly seen: readonly PoolSnapshot[]
}

/** Which pool, and what it takes of what goes in, in hundredths of a basis point. */
export type PoolRow = Pick<ReferencePool, 'version' | 'id' | 'fee' | 'tickSpacing'>

/** A pool at the end of a block. */
export type PoolSnapshot = {
  /** Unix seconds of the block. */
  readonly atSeconds: number
  /** Not 0. In v2 the square root of the ratio of the reserves. */
  readonly sqrtPriceX96: bigint
  /** In range; in v2 the square root of the product of the reserves. */
  readonly liquidity: bigint
  /** `null` in v4, whose pools sum nothing up. */
  readonly sums: PoolSums | null
}

/** The tick in a second that is past, and what was in range then. */
export type RecalledMoment = { readonly atSeconds: number; readonly tick: number; readonly liquidity: bigint }

/** What a pool had summed up over time by then. */
export type PoolSample = { readonly atSeconds: number; readonly sums: PoolSums }

export type PoolSums = TickSums | PriceSums

/** v3 `observe`: ticks by seconds, and seconds times 2^128 by liquidity, modulo 2^160. */
export type TickSums = { readonly kind: 'ticks'; readonly tick: bigint; readonly perLiquidityX128: bigint }

/** v2: prices times 2^112 by seconds, modulo 2^256, brought forward to the time of the block. */
export type PriceSums = { readonly kind: 'prices'; readonly price0X112: bigint; readonly price1X112: bigint }

/** What stands on both sides of a pool's price, in whole quote tokens: what it would take to move it, and to move it back. */
export type PoolDepth = {
  /** Of the priced token, at the price. */
  readonly tokenSide: number
  readonly quoteSide: number
}

/**
 * What liquidity holds within a reach of a price, on each side no more than the pool really has. A push of this block moves real
 * balances from one side to the other and leaves their sum, so where the current price strays from the mean, each side is taken
 * to have half of the sum. No contract tells what a single v4 pool has, and between two ticks huge liquidity takes next to no
 * money: there each side is half of what must stand between the usable ticks around the price.
 *
 * @param reach within 20 % of the price unless given
 */
export function poolDepth(
  { row, held, side }: Pick<PoolReading, 'row' | 'held' | 'side'>,
  { priceE18, spotE18, sqrtPriceX96, liquidity }: DepthOver,
  reach: PoolDepth = withinReach,
): PoolDepth {
  const price = Number(priceE18) / 1e18
  const valueOf = (amounts: TokenAmounts) => ({
    tokens: (Number(amounts.token) / 10 ** side.tokenDecimals) * price,
    quotes: Number(amounts.quote) / 10 ** side.quoteDecimals,
  })
  if (row.version === 'v4') {
    const { tokens, quotes } = valueOf(sureAmounts(row, side, sqrtPriceX96, liquidity))
    return { tokenSide: (tokens + quotes) / 2, quoteSide: (tokens + quotes) / 2 }
  }
  const virtual = virtualQuote(liquidity, price, side)
  const { tokens, quotes } = valueOf(held ?? { token: 0n, quote: 0n })
  const half = (tokens + quotes) / 2
  const strays = Math.abs(Number(spotE18) / Number(priceE18) - 1) > strayedShare
  return {
    tokenSide: Math.min(virtual * reach.tokenSide, strays ? half : tokens),
    quoteSide: Math.min(virtual * reach.quoteSide, strays ? half : quotes),
  }
}

export type DepthOver = {
  /** Whole quote tokens for one whole token, times 1e18: the mean where there is one. */
  readonly priceE18: bigint
  readonly spotE18: bigint
  /** Of the moment. */
  readonly sqrtPriceX96: bigint
  /** What stood in range over the time of the mean, else what stands there now. */
  readonly liquidity: bigint
}

type TokenAmounts = NonNullable<PoolReading['held']>

/** Share of the price to either side: a price further off would be seen by everybody. */
export const depthReach = 0.2
/** Shares of what liquidity would hold over all prices (v3 whitepaper eq. 6.5 and 6.6). */
const withinReach: PoolDepth = {
  tokenSide: 1 - 1 / Math.sqrt(1 + depthReach),
  quoteSide: 1 - Math.sqrt(1 - depthReach),
}
/** All of it. */
export const overAllPrices: PoolDepth = { tokenSide: 1, quoteSide: 1 }
/** Share of the mean; markets move as much within half an hour in any case. */
const strayedShare = 0.0025

/** Whole quote tokens that liquidity would hold over all prices; as much are its tokens worth. */
function virtualQuote(liquidity: bigint, price: number, { tokenDecimals, quoteDecimals }: PriceSide): number {
  const rawPrice = price * 10 ** (quoteDecimals - tokenDecimals)
  return (Number(liquidity) * Math.sqrt(rawPrice)) / 10 ** quoteDecimals
}

/** Liquidity changes at usable ticks alone: what is in range stands from the one below the price to the one above it. */
function sureAmounts(
  { tickSpacing }: PoolRow,
  { tokenIs0 }: PriceSide,
  sqrtPriceX96: bigint,
  liquidity: bigint,
): TokenAmounts {
  if (tickSpacing === undefined) return { token: 0n, quote: 0n }
  const lower = Math.floor(getTickAtSqrtPrice(sqrtPriceX96) / tickSpacing) * tickSpacing
  const bounds = [Math.max(lower, -MAX_TICK), Math.min(lower + tickSpacing, MAX_TICK)] as const
  const [bottom, top] = [getSqrtPriceAtTick(bounds[0]), getSqrtPriceAtTick(bounds[1])]
  const { amount0, amount1 } = getAmountsForLiquidity(sqrtPriceX96, bottom, top, liquidity, false)
  return tokenIs0 ? { token: amount0, quote: amount1 } : { token: amount1, quote: amount0 }
}
