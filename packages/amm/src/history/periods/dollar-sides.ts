import type { Pool, UsdPrice } from '../../ports.ts'

/**
 * The tokens of a pool whose trade counts in dollars, at their prices of now, the best first: a pegged one, whose price of now is that
 * of the past, then token1. None where neither has a trustworthy price.
 */
export function dollarSides(
  { token0, token1 }: Pick<Pool, 'token0' | 'token1'>,
  price0: UsdPrice | null,
  price1: UsdPrice | null,
): readonly DollarSide[] {
  const side0 = price0 && { isToken1: false, usd: price0.usd, decimals: token0.decimals, isPegged: token0.usdPegged }
  const side1 = price1 && { isToken1: true, usd: price1.usd, decimals: token1.decimals, isPegged: token1.usdPegged }
  const order = side0?.isPegged === true ? [side0, side1] : [side1, side0]
  return order.filter((side) => side !== null)
}

export type DollarSide = {
  readonly isToken1: boolean
  /** For one whole token. */
  readonly usd: number
  readonly decimals: number
  readonly isPegged: boolean
}
