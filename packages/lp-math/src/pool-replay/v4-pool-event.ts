import type { EventAmounts, NamedEvent } from './pool-event.ts'

/**
 * An event of a v4 pool under the manager's own names, as viem decodes it, with the time of its block in unix seconds. Amounts of a swap
 * are the trader's, as the manager writes them: what was paid in is negative.
 */
export type V4PoolEvent = { readonly timestamp: number } & (
  | NamedEvent<'Initialize', { readonly sqrtPriceX96: bigint; readonly tick: number }>
  | NamedEvent<'ModifyLiquidity', V4PositionChange>
  | NamedEvent<'Swap', V4SwapFields>
  | NamedEvent<'Donate', EventAmounts>
  | NamedEvent<'ProtocolFeeUpdated', { readonly protocolFee: number }>
)

/** What was added to a position, or taken out of it where negative; 0 has its fees paid. */
export type V4PositionChange = {
  readonly sender: string
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidityDelta: bigint
  readonly salt: string
}

/** `fee` is the whole fee of the swap in millionths of the input, the protocol's part included. */
export type V4SwapFields = EventAmounts & {
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  readonly tick: number
  readonly fee: number
}
