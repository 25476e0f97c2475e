import type { Chain } from '@svc/wallet/core'
import type { Address, Hash, Hex, PublicClient } from 'viem'
import type { Intent, IntentOrder } from '../intent.ts'
import type { BlockTime, Token } from './pools.ts'
import type { IntentCrossChain } from '../intent-cross-chain.ts'

/** Orders that whoever wants to fills (UniswapX). Planning never signs: it returns intents. */
export type Orders = {
  /**
   * An order that sells an exact amount, as the service of its fillers offers it, held member by member against what was asked for and
   * against the best route on the chain. Throws `ORDERS_NOT_SUPPORTED`, `API_KEY_NOT_CONFIGURED`, `TRADING_API_*`, `ORDER_OFFER_TOO_LOW`,
   * `UNSAFE_TRANSACTION` with the members that differ, and what `Liquidity.quote` throws.
   */
  planSubmit(chain: Chain, request: OrderRequest): Promise<OrderPlan>
  /** Whether orders are settled on a chain and somebody offers them. */
  isOffered(chain: Chain): boolean
  /** Uses the nonce of a signed order up, so that nobody can fill it any more, and takes its allowance back. */
  planCancel(chain: Chain, order: Pick<IntentOrder, 'nonce' | 'tokenIn'>, orderId: Hash): Intent
  /** Hands a signed order to its fillers. Whatever it answers, the signature may be out. */
  submit(order: IntentOrder, signature: Hash): Promise<'accepted' | 'refused' | 'unknown'>
}

export type OrderRequest = {
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly amountIn: bigint
  /** How far below the best route on the chain it may end. */
  readonly slippageBps: number
  /** Unix seconds. */
  readonly latestDeadline: number
  /** Who signs, and is paid. */
  readonly wallet: Address
}

export type OrderPlan = {
  readonly intent: Intent
  readonly order: IntentOrder
  /** What the best route on the chain would bring. */
  readonly quotedAmountOut: bigint
}

/** What has become of a signed order at a block, by the nonce at Permit2, the logs of the reactor and our own transactions alone. */
export type OrderFacts = {
  readonly status: 'open' | 'filled' | 'expired' | 'cancelled'
  readonly block: BlockTime
  /** `null` unless it is filled; of a `filled` one where the nonce is used up and no endpoint shows by what. */
  readonly fill: OrderFill | null
  /** The block of the transaction of our own that used the nonce up; `null` unless it is cancelled. */
  readonly cancelledIn: bigint | null
}

export type OrderFill = {
  readonly txHash: Hash
  readonly blockNumber: bigint
  readonly filler: Address
  /** What left the wallet and what arrived for it, by the logs of that transaction. */
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** Where an order is looked for. */
export type SignedOrder = {
  readonly order: IntentOrder
  readonly orderId: Hash
  readonly wallet: Address
  /** The newest block when it was signed, as the endpoint named it. */
  readonly signedAtBlock: bigint
  /** By our own clock, in Unix milliseconds. */
  readonly signedAt: number
}

export type OrderReads = {
  readonly client: PublicClient
  readonly chain: Chain
  /** What a transaction that the wallet has signed since calls; `null` of any other. */
  readonly ownCall: (hash: Hash) => Promise<{ readonly to: Address; readonly data: Hex } | null>
}

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
