/**
 * What a pool traded, in bars of one length without holes, oldest first, as columns of equal length. Ticks are the pool's own (price of
 * token0 in token1, smallest units) and may have fractions where the source tells prices. A bar without a trade has no inputs and
 * four equal ticks.
 */
export type Bars = {
  readonly barSeconds: number
  /** Seconds since 1970 at which each bar begins. */
  readonly startsAt: Float64Array
  readonly openTick: Float64Array
  readonly lowTick: Float64Array
  readonly highTick: Float64Array
  readonly closeTick: Float64Array
  /** What traders paid in, fee included, in smallest units. */
  readonly amount0In: Float64Array
  readonly amount1In: Float64Array
  /** Active liquidity of the pool during the bar. */
  readonly liquidity: Float64Array
  /** Fees for one unit of active liquidity that the bar earned, in smallest units; `null` where the source cannot tell. */
  readonly feeGrowth: { readonly token0: Float64Array; readonly token1: Float64Array } | null
}
