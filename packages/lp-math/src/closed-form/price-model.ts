/** Geometric Brownian motion of a price, seen from now to a horizon. A year has 365 days. */
export type PriceModel = {
  /** The price now, token1 for one token0 in the order that the caller gave. */
  readonly price: number
  /** Volatility of a year, as a fraction: 0.8 is 80 %. */
  readonly sigma: number
  /** Growth of the expected price in a year, as a fraction. */
  readonly drift: number
  /** How far the horizon lies away, in years. */
  readonly years: number
}
