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

/**
 * A fee on its way to the providers of a pool: of a step of a swap, a flash loan or a donation. `fee` in smallest units of `token`, the
 * protocol's part taken out. Price (Q64.96), tick and active liquidity are those before the step, `sqrtPriceAfterX96` the price at its end.
 */
export type FeePayment = {
  readonly token: 0 | 1
  readonly fee: bigint
  readonly liquidity: bigint
  readonly tick: number
  readonly sqrtPriceX96: bigint
  readonly sqrtPriceAfterX96: bigint
  /** Of the block, in unix seconds. */
  readonly timestamp: number
}

/** Hears of each payment of an event once the event has been applied. */
export type FeeListener = (payment: FeePayment) => void

/** What was given to all active liquidity at one price. */
export function paymentsAt(
  { sqrtPriceX96, tick, liquidity }: Pick<FeePayment, 'sqrtPriceX96' | 'tick' | 'liquidity'>,
  [fee0, fee1]: readonly [bigint, bigint],
  timestamp: number,
): readonly FeePayment[] {
  const at = { sqrtPriceX96, sqrtPriceAfterX96: sqrtPriceX96, tick, liquidity, timestamp }
  return [
    { token: 0, fee: fee0, ...at },
    { token: 1, fee: fee1, ...at },
  ]
}
