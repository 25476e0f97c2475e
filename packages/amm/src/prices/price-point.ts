/** The price of a token in units of another, according to one pool that nobody named. */
export type PricePoint = {
  /** Pair or pool address; for v4 the PoolId. */
  readonly pool: string
  /** Mean of about half an hour, in whole quote tokens for one whole token; `null` where none can be had. */
  readonly mean: number | null
  /** The price at the block, in the same unit. */
  readonly spot: number
  /** Whether its price of half an hour ago can be read, from its own oracle or from older state of the endpoint. */
  readonly hasPast: boolean
  /** The highest of both and of all older prices that were read, up to a day ago; times 1e18 and rounded up. */
  readonly mostE18: bigint
  /**
   * Whole quote tokens that the price rests on: the smaller of what the pool really holds on its shallower side and of what its
   * liquidity, over the time of the mean, would hold over all prices. A narrow range cannot fake the first; a deposit out of
   * range, or one of this block, cannot fake the second. No contract tells what a v4 pool holds: there it is what the
   * liquidity must hold between the nearest usable ticks.
   */
  readonly depth: number
}
