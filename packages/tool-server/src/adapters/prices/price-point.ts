/** One pool's word on the price of a token in units of another, of a pool that nobody named. */
export type PricePoint = {
  /** Pair or pool address; for v4 the PoolId. */
  readonly pool: string
  /** Of one whole token in whole quote tokens: the mean of about half an hour, `null` where the pool does not tell one. */
  readonly mean: number | null
  /** The same at the block. */
  readonly spot: number
  /** Whether what it said half an hour ago is known: by its own oracle or an endpoint's older state. */
  readonly hasPast: boolean
  /** The greatest of both and of the older moments that were read, times 1e18 and rounded up. */
  readonly mostE18: bigint
  /**
   * Whole quote tokens that the price rests on: the least of what the pool really holds on either side, and of what its
   * liquidity over the time of the mean would hold over all prices. The first cannot be conjured up by a narrow range, the second
   * not by a deposit out of range or of the moment. In v4, where nobody knows what a pool holds, what its liquidity is sure
   * to hold between the nearest ticks.
   */
  readonly depth: number
}
