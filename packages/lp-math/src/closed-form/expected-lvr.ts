import { expectedOccupation } from './expected-occupation.ts'
import { logReturn } from './log-return.ts'
import type { PriceBounds } from './price-bounds.ts'
import type { PriceModel } from './price-model.ts'
import { requirePriceBounds } from './require-price-bounds.ts'
import { requirePriceModel } from './require-price-model.ts'

/**
 * Expected loss versus rebalancing from now to the horizon of a position of liquidity 1, in token1: the integral of sigma²/4·√price over
 * the expected time at each price. Without drift it equals V - E[V at the horizon], the expected loss against holding.
 * Source: Milionis, Moallemi, Roughgarden, Zhang, "Automated Market Making and Loss-Versus-Rebalancing" (2022).
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function expectedLvr(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { price, sigma, drift, years } = model
  if (logReturn(model).deviation === 0) return 0
  const [from, to] = [Math.log(bounds.lower / price) / sigma, Math.log(bounds.upper / price) / sigma]
  const time = expectedOccupation(from, to, { drift: drift / sigma - sigma / 2, years, tilt: sigma / 2 })
  return ((sigma * sigma) / 4) * Math.sqrt(price) * time
}
