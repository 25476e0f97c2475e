import type { SwapPlan } from './plan-swap.ts'

/**
 * An event of a v3 pool under the contract's own names, as viem decodes it, with the time of its block in unix seconds:
 * `{ ...log, timestamp }`.
 */
export type PoolEvent = { readonly timestamp: number } & (
  | NamedEvent<'Initialize', { readonly sqrtPriceX96: bigint; readonly tick: number }>
  | NamedEvent<'Mint', PositionChange>
  | NamedEvent<'Burn', PositionChange>
  | NamedEvent<'Collect', PositionRange & EventAmounts>
  | NamedEvent<'Swap', SwapFields>
  | NamedEvent<'Flash', { readonly paid0: bigint; readonly paid1: bigint }>
  | NamedEvent<'SetFeeProtocol', { readonly feeProtocol0New: number; readonly feeProtocol1New: number }>
  | NamedEvent<'CollectProtocol', EventAmounts>
  | NamedEvent<
      'IncreaseObservationCardinalityNext',
      { readonly observationCardinalityNextOld: number; readonly observationCardinalityNextNew: number }
    >
)

/** Whose position a pool contract keeps, and between which ticks. */
export type PositionRange = { readonly owner: string; readonly tickLower: number; readonly tickUpper: number }

/** `amount` is of liquidity, the other two of tokens. */
export type PositionChange = PositionRange & { readonly amount: bigint } & EventAmounts

/** Positive came into the pool, negative went out. */
export type SwapFields = EventAmounts & {
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  readonly tick: number
}

/** Where a position stands in a pool's `positions`; the owner is an address in any case of letters. */
export function positionKey({ owner, tickLower, tickUpper }: PositionRange): string {
  return `${owner.toLowerCase()}:${tickLower}:${tickUpper}`
}

/** What an event moved of either token, in smallest units. */
export type EventAmounts = { readonly amount0: bigint; readonly amount1: bigint }

/** An event of a pool, as its log is decoded. */
export type NamedEvent<Name extends string, Args> = { readonly eventName: Name; readonly args: Args }

/** What the pool would write into the Swap event. */
export function swapFields({ zeroForOne, result }: SwapPlan): SwapFields {
  const { amountIn, amountOut, sqrtPriceX96After: sqrtPriceX96, liquidityAfter: liquidity, tickAfter: tick } = result
  const [amount0, amount1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
  return { amount0, amount1, sqrtPriceX96, liquidity, tick }
}
