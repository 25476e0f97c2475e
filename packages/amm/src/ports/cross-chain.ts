import type { Chain } from '@svc/wallet/core'
import type { Address, Hash } from 'viem'
import type { Intent } from '../intent.ts'
import type { IntentCrossChain } from '../intent-cross-chain.ts'
import type { Token } from './pools.ts'

/** Orders that are opened on one chain and filled on another (ERC-7683). Planning never signs: it returns intents. */
export type CrossChain = {
  /**
   * An order that gives an exact amount to whoever pays a fixed amount to the same wallet on another chain, at fair prices of both less
   * slippage and the relayer's fee. The settler's own reading of it is held against ours. Throws `CROSS_CHAIN_NOT_SUPPORTED`,
   * `PRICE_UNAVAILABLE`, `VALIDATION_FAILED`, `UNSAFE_TRANSACTION` with the members that differ.
   */
  planOpen(chain: Chain, request: CrossChainRequest): Promise<CrossChainPlan>
  /** The chains of this server to which orders lead from one; none where no settler stands on it. */
  destinations(chain: Chain): readonly Chain[]
}

export type CrossChainRequest = {
  readonly destination: Chain
  /** Of the chain on which it is opened. */
  readonly tokenIn: Token
  /** Of the destination. */
  readonly tokenOut: Token
  readonly amountIn: bigint
  /** How far below fair prices of both chains the output may lie, beside the relayer's fee. */
  readonly slippageBps: number
  readonly relayerFeeBps: number
  /** What a stored plan that is carried out asks for; no less is asked for now. */
  readonly leastOut: bigint
  /** Unix seconds. */
  readonly fillDeadline: number
  /** Who opens it, and is paid. */
  readonly wallet: Address
}

export type CrossChainPlan = { readonly intent: Intent; readonly order: IntentCrossChain }

/** Whose order it is, and since when it may have been opened. */
export type OpenedOrder = {
  readonly order: IntentCrossChain
  readonly wallet: Address
  /** By our own clock, in Unix milliseconds. */
  readonly signedAt: number
}

/** What the destination shows of an order in a block. */
export type CrossChainFill = {
  /** `null` where the settler calls it filled and nothing shows by what. */
  readonly txHash: Hash | null
  readonly blockNumber: bigint | null
  readonly filler: Address | null
  /** What arrived at the recipient for it, by the logs of that transaction. */
  readonly amountOut: bigint
}

export type CrossChainRefund = { readonly txHash: Hash; readonly blockNumber: bigint; readonly amountIn: bigint }
