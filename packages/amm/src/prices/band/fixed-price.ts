import type { PriceRange } from './price-range.ts'

/** Which token of a pool is priced, and how its prices in smallest units become prices of whole tokens. */
export type PriceSide = {
  /** Whether the priced token is the pool's first. */
  readonly tokenIs0: boolean
  readonly tokenDecimals: number
  readonly quoteDecimals: number
}

/**
 * A price of one whole token in whole quote tokens, times 1e18, from a ratio of smallest units (quote per token):
 * `numerator / denominator`, rounded down and up.
 */
export function fixedPrice(numerator: bigint, denominator: bigint, decimals: Omit<PriceSide, 'tokenIs0'>): PriceRange {
  const above = numerator * 10n ** BigInt(decimals.tokenDecimals + 18)
  const below = denominator * 10n ** BigInt(decimals.quoteDecimals)
  return { lowE18: above / below, highE18: (above + below - 1n) / below }
}

/** The same from a pool's square root price, which is not 0. Source: v3 whitepaper eq. 6.4. */
export function fixedPriceOfSqrt(sqrtPriceX96: bigint, side: PriceSide): PriceRange {
  const square = sqrtPriceX96 * sqrtPriceX96
  return side.tokenIs0 ? fixedPrice(square, 1n << 192n, side) : fixedPrice(1n << 192n, square, side)
}
