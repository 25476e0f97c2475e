import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import type { Intent } from '../intent.ts'
import type { LiquidityPlan } from './liquidity.ts'
import type { Pool, Token } from './pools.ts'

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
