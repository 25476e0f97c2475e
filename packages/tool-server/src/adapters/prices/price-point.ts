import type { Address } from 'viem'
import type { PriceSide } from './fixed-price.ts'

/** One pool's word on the price of a token in units of another. */
export type PricePoint = {
  readonly pool: Address
  readonly version: 'v2' | 'v3'
  readonly side: PriceSide
  /** Of one whole token in whole quote tokens: the mean of about half an hour, `null` where the pool does not tell one. */
  readonly mean: number | null
  /** The same at the block. */
  readonly spot: number
  /** Both once more for limits, exact: times 1e18 and rounded up. */
  readonly meanE18: bigint | null
  readonly spotE18: bigint
  /**
   * Whole quote tokens that the price rests on: the least of what the pool really holds of them, of what its in-range liquidity would
   * hold over all prices, and, beside a mean, of the same over the mean's own time. The first cannot be conjured up by a narrow
   * range, the second not by a deposit out of range, the third not by a deposit of the moment.
   */
  readonly depth: number
}
