/**
 * A price of one whole token in whole quote tokens, times 1e18 and rounded up, from a ratio of smallest units
 * (quote per token): `numerator / denominator`.
 */
export function fixedPrice(
  numerator: bigint,
  denominator: bigint,
  tokenDecimals: number,
  quoteDecimals: number,
): bigint {
  const above = numerator * 10n ** BigInt(tokenDecimals) * e18
  const below = denominator * 10n ** BigInt(quoteDecimals)
  return (above + below - 1n) / below
}

/** The same from a pool's square root price; `tokenIs0` when the token is the pool's first. Source: v3 whitepaper eq. 6.4. */
export function fixedPriceOfSqrt(sqrtPriceX96: bigint, side: PriceSide): bigint {
  const { tokenIs0, tokenDecimals, quoteDecimals } = side
  const square = sqrtPriceX96 * sqrtPriceX96
  return tokenIs0
    ? fixedPrice(square, 1n << 192n, tokenDecimals, quoteDecimals)
    : fixedPrice(1n << 192n, square, tokenDecimals, quoteDecimals)
}

/** A price through another token whose own price is known; both times 1e18, rounded up. */
export function throughQuote(priceE18: bigint, quoteUsdE18: bigint): bigint {
  return (priceE18 * quoteUsdE18 + e18 - 1n) / e18
}

export type PriceSide = { readonly tokenIs0: boolean; readonly tokenDecimals: number; readonly quoteDecimals: number }

const e18 = 10n ** 18n
