import type { PriceModel } from './price-model.ts'

/** E[S] at the horizon; the price itself where the volatility is 0. */
export function expectedPrice({ price, drift, years }: PriceModel): number {
  return price * Math.exp(drift * years)
}
