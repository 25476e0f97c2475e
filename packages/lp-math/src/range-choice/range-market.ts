import type { PriceModel } from '../closed-form/price-model.ts'
import type { LiquidityProfile } from '../fee-model/liquidity-profile.ts'

/** What a range is chosen in: a price, a pool and an amount, in the order of the caller and in whole tokens. Money counts in token1. */
export type RangeMarket = {
  readonly model: PriceModel
  readonly profile: LiquidityProfile
  /** What the liquidity providers of the pool earn a day, after the protocol's part. */
  readonly feesPerDay: number
  /** The fee of a swap, as a fraction: 0.003 is 30 bp. */
  readonly fee: number
  readonly blockSeconds: number
  /** What is put in. */
  readonly value: number
  /** Gas to open and to close the position; 0 leaves it out. */
  readonly gasCost: number
  readonly tickSpacing: number
  readonly decimals0: number
  readonly decimals1: number
}
