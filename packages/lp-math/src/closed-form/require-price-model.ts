import { LpMathError } from '../lp-math-error.ts'
import type { PriceModel } from './price-model.ts'
import { requirePrice } from './require-price.ts'
import { requireSigma } from './require-sigma.ts'

/**
 * Refuses a model whose numbers mean nothing: a price that is not positive, a volatility outside 0 to 10 (1,000 %), a drift beyond 10 a
 * year either way, a horizon of nothing or of more than 10 years.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `SIGMA_OUT_OF_RANGE`, `DRIFT_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function requirePriceModel({ price, sigma, drift, years }: PriceModel): void {
  requirePrice(price, 'model.price')
  requireSigma(sigma, 'model.sigma')
  if (!(Math.abs(drift) <= 10)) {
    throw new LpMathError('DRIFT_OUT_OF_RANGE', 'model.drift is a fraction a year within -10 and 10.')
  }
  if (!(years > 0 && years <= 10)) throw new LpMathError('YEARS_OUT_OF_RANGE', 'model.years is above 0 and at most 10.')
}
