/**
 * An event of a v3 pool under the contract's own names, as viem decodes it, with the time of its block in unix seconds:
 * `{ eventName: log.eventName, ...log.args, timestamp }`.
 */
export type PoolEvent = { readonly timestamp: number } & (
  | { readonly eventName: 'Initialize'; readonly sqrtPriceX96: bigint; readonly tick: number }
  | ({ readonly eventName: 'Mint' } & PositionChange)
  | ({ readonly eventName: 'Burn' } & PositionChange)
  | ({ readonly eventName: 'Collect' } & PositionRange & EventAmounts)
  | ({ readonly eventName: 'Swap' } & SwapFields)
  | ({ readonly eventName: 'Flash'; readonly paid0: bigint; readonly paid1: bigint } & EventAmounts)
  | {
      readonly eventName: 'SetFeeProtocol'
      readonly feeProtocol0New: number
      readonly feeProtocol1New: number
    }
  | ({ readonly eventName: 'CollectProtocol' } & EventAmounts)
  | {
      readonly eventName: 'IncreaseObservationCardinalityNext'
      readonly observationCardinalityNextOld: number
      readonly observationCardinalityNextNew: number
    }
)

export type PositionRange = { readonly owner: string; readonly tickLower: number; readonly tickUpper: number }

/** `amount` is of liquidity, the other two of tokens. */
export type PositionChange = PositionRange & { readonly amount: bigint } & EventAmounts

/** Positive came into the pool, negative went out. */
export type SwapFields = EventAmounts & {
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  readonly tick: number
}

type EventAmounts = { readonly amount0: bigint; readonly amount1: bigint }
