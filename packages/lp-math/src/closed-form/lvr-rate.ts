import type { PriceBounds } from './price-bounds.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePrice } from './require-price.ts'
import { requireSigma } from './require-sigma.ts'

/**
 * Loss versus rebalancing that a position of liquidity 1 makes at a price, in token1 a year: sigma²/4·√price within the bounds, else 0.
 * Source: Milionis, Moallemi, Roughgarden, Zhang, "Automated Market Making and Loss-Versus-Rebalancing" (2022), -sigma²·P²·V''(P)/2.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `SIGMA_OUT_OF_RANGE`.
 */
export function lvrRate(bounds: PriceBounds, price: number, sigma: number): number {
  requirePriceBounds(bounds)
  requirePrice(price, 'price')
  requireSigma(sigma, 'sigma')
  return price >= bounds.lower && price < bounds.upper ? ((sigma * sigma) / 4) * Math.sqrt(price) : 0
}
