import type { Address } from 'viem'

/** One pool's word on the price of a token in units of another. */
export type PricePoint = {
  readonly pool: Address
  /** Of one whole token in whole quote tokens: the mean of the last 30 minutes, `null` where the pool does not remember that long. */
  readonly mean: number | null
  /** The same at the block. */
  readonly spot: number
  /**
   * Whole quote tokens that the price rests on: what the pool really holds of them, or, when less, what its in-range liquidity would
   * hold over all prices. The first cannot be conjured up by a narrow range, the second not by a deposit out of range.
   */
  readonly depth: number
}
