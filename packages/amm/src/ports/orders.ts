import type { Chain } from '@svc/wallet/core'
import type { Address, Hash, Hex, PublicClient } from 'viem'
import type { Intent, IntentOrder } from '../intent.ts'
import type { BlockTime, Token, Pool } from './pools.ts'
import type { IntentCrossChain } from '../intent-cross-chain.ts'
import type { LiquidityPlan } from './liquidity.ts'

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

/** A v4 pool whose hook the policy names as one for orders that are sold over time. Whether they may be placed in it is another matter. */
export type TwammPool = {
  readonly pool: Pool
  readonly hook: Address
  /** Orders end at multiples of this many seconds. */
  readonly intervalSeconds: number
}

export type TwammOrderStatus = 'active' | 'completed' | 'claimed' | 'cancelled'

/** An order as logs tell of it and as the hook would settle it now. */
export type TwammOrder = {
  readonly orderId: Hex
  readonly owner: Address
  /** `completed`: sold, and something waits to be claimed. */
  readonly status: TwammOrderStatus
  readonly zeroForOne: boolean
  readonly tokenIn: Token
  readonly tokenOut: Token
  /** Unix seconds. */
  readonly startedAt: number
  readonly expiresAt: number
  /** Of the block at which it was read. */
  readonly readAt: number
  readonly blockNumber: bigint
  /** In smallest units of `tokenIn`: in all, sold so far, and still to be sold. What a cancelled order gave back is neither. */
  readonly amountTotal: bigint
  readonly amountSold: bigint
  readonly amountRemaining: bigint
  /** All that it ever earned of `tokenOut`. */
  readonly amountReceived: bigint
  /** What the hook owes its owner when the order is settled now; earlier orders of the owner that were settled and not paid out count in. */
  readonly owedIn: bigint
  readonly owedOut: bigint
  /** Smallest units of `tokenIn` a second, as long as it stands; 0 afterwards. */
  readonly sellRate: bigint
  /** Whether the hook still has it: it ends when it is cancelled, or settled once it is over. */
  readonly stands: boolean
  /** Of the pool when it was placed; `null` where neither state nor logs tell. */
  readonly sqrtPriceX96AtStart: bigint | null
}

/** What takes an order home: what its key and the hook say, without its past. */
export type OwnTwammOrder = Pick<
  TwammOrder,
  | 'orderId'
  | 'owner'
  | 'status'
  | 'zeroForOne'
  | 'tokenIn'
  | 'tokenOut'
  | 'expiresAt'
  | 'readAt'
  | 'sellRate'
  | 'stands'
  | 'owedIn'
  | 'owedOut'
>

export type TwammSubmission = {
  readonly orderId: Hex
  readonly startedAt: number
  readonly expiresAt: number
  /** Smallest units a second, and in all. */
  readonly sellRate: bigint
  readonly amountIn: bigint
}

/** Orders on the hooks that the policy names. Planning never signs: it returns intents. */
export type Twamm = {
  /** The deepest pool of the pair among those that the policy names. Throws `NO_TWAMM_HOOK`. */
  findPool(chain: Chain, tokenIn: Token, tokenOut: Token): Promise<TwammPool>
  /** By its 32-byte id. Throws `POOL_NOT_FOUND`, `NO_TWAMM_HOOK`. */
  pool(chain: Chain, id: Hex): Promise<TwammPool>
  /** The newest order under an id in a pool, with its past. Throws `ORDER_NOT_FOUND`. */
  order(chain: Chain, pool: TwammPool, orderId: Hex): Promise<TwammOrder>
  /**
   * The order of an owner under an id, for taking it home: found also where the logs of its placing are out of reach, as long as it
   * stands or the hook owes its owner something. Throws `ORDER_NOT_FOUND`.
   */
  ownOrder(chain: Chain, pool: TwammPool, orderId: Hex, owner: Address): Promise<OwnTwammOrder>
  /** Throws `DURATION_TOO_SHORT`, `AMOUNT_TOO_SMALL`. Whether an order may be placed in the pool, the engine knows. */
  planSubmit(
    chain: Chain,
    pool: TwammPool,
    request: {
      readonly tokenIn: Token
      readonly tokenOut: Token
      readonly amountIn: bigint
      readonly durationSeconds: number
      readonly owner: Address
      /** The plan that is carried out, whose end is kept; `null` for an order of its own. */
      readonly kept: Intent | null
    },
  ): Promise<LiquidityPlan<{ readonly amountOut: bigint }, TwammSubmission>>
  /** Ends an active order and pays out what is not sold and what it earned. Throws `ORDER_NOT_ACTIVE`. */
  planCancel(chain: Chain, pool: TwammPool, order: OwnTwammOrder): LiquidityPlan<null, TwammPayout>
  /** Pays out what it has earned so far, and of an order that is over ends it. Throws `NOTHING_TO_COLLECT`. */
  planClaim(chain: Chain, pool: TwammPool, order: OwnTwammOrder): LiquidityPlan<null, TwammPayout>
}

/** What came back of both tokens. */
export type TwammPayout = { readonly amountIn: bigint; readonly amountOut: bigint }
