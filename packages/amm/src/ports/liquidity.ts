import type { Chain } from '@svc/wallet/core'
import type { Address, Hash, Hex } from 'viem'
import type { AtomicRouteName } from '../plan.ts'
import type { Intent, KeptDeposit, Settled, SettledTransaction, TokenQuantity } from '../intent.ts'
import type { ToolError } from '../tool-error.ts'
import type {
  BlockTime,
  PairShare,
  Pool,
  PoolReference,
  Position,
  PositionChanges,
  PositionEvents,
  PositionUnderway,
  Quote,
  QuoteRequest,
  ReadLimits,
  SwapHistory,
  TickRow,
  Token,
  Version,
} from './pools.ts'

/** Reads and plans over the AMM contracts of a chain. Planning never signs: it returns intents. */
export type Liquidity = {
  /**
   * Every pool of the pair that exists and has a price (for v4 under a standard key), deepest first. In v2 and v3 the native
   * currency stands for its wrapped token; v4 pools hold exactly the currencies named, native and wrapped apart.
   */
  findPools(chain: Chain, tokenA: Token, tokenB: Token, versions?: readonly Version[]): Promise<readonly Pool[]>
  /** Throws `POOL_NOT_FOUND`. */
  pool(chain: Chain, reference: PoolReference): Promise<Pool>
  /** Initialised ticks in [tickLower, tickUpper]; of more than 5,000 those nearest to the price. Empty for v2. */
  ticks(chain: Chain, pool: Pool, tickLower: number, tickUpper: number): Promise<readonly TickRow[]>
  /** From a time on, in Unix seconds; up to the head, or to the first swap at or after `toTimestamp` that was read. Throws `RPC_*`, `CANCELLED`, and what `onRequest` throws. */
  swaps(
    chain: Chain,
    pool: Pool,
    fromTimestamp: number,
    toTimestamp?: number,
    limits?: ReadLimits,
  ): Promise<SwapHistory>
  /** Throws `POSITION_NOT_FOUND`. v2 positions are read by pair address and owner. One that was read `before` takes one exchange. */
  position(
    chain: Chain,
    version: 'v3' | 'v4',
    positionId: string,
    reading?: { readonly alongside?: Alongside | undefined; readonly before?: Position },
  ): Promise<Position>
  /**
   * Positions at the newest block, `null` for those that are not there. Those that were read `before` travel in one HTTP request, for
   * some hundred of them at an endpoint that takes fifty calls at once; others take two more. Throws `RPC_*`.
   */
  positions(
    chain: Chain,
    asked: readonly (Pick<Position, 'version' | 'positionId'> & { readonly before: Position | null })[],
  ): Promise<readonly (Position | null)[]>
  /** What became of a position since it was opened, out of logs. `alongside` is begun with its changes, before that with those of the last time. */
  positionEvents(
    chain: Chain,
    position: Position | PositionUnderway,
    alongside?: (changes: PositionChanges) => void,
  ): Promise<PositionEvents>
  pairShare(chain: Chain, pair: Address, owner: Address, alongside?: Alongside): Promise<PairShare>
  positionsByOwner(
    chain: Chain,
    owner: Address,
    versions: readonly Version[],
    alongside?: Alongside,
  ): Promise<{ readonly items: readonly (Position | PairShare)[]; readonly complete: boolean }>
  /** Best route by amount out, or in where the output is given; one that would lose half to price impact is none. Throws `POOL_NOT_FOUND`, `INSUFFICIENT_LIQUIDITY`, `AMOUNT_TOO_SMALL`. */
  quote(chain: Chain, request: QuoteRequest): Promise<Quote>
  /** Why positions cannot be collected, each asked alone as its owner would; `null` for one that can. Throws `RPC_*`. */
  collectRefusals(
    chain: Chain,
    positions: readonly Position[],
    deadline: number,
  ): Promise<readonly (ToolError | null)[]>
  /** What the collections of one mined transaction paid, in the order in which they were made, from its logs. Throws `RPC_*`. */
  collectedIn(
    chain: Chain,
    mined: Pick<SettledTransaction, 'logs' | 'blockNumber'>,
  ): Promise<readonly (CollectOutcome & { readonly position: Position })[]>
  planAdd(chain: Chain, request: AddRequest): Promise<LiquidityPlan<AddPreview, AddOutcome>>
  planIncrease(
    chain: Chain,
    position: Position,
    request: {
      readonly amount0: bigint
      readonly amount1: bigint | null
      /** Whether the caller's first token is the pool's second: the amounts follow the caller. */
      readonly inverted?: boolean | undefined
      /** Pays the wrapped native side of a v3 pool in native currency. A v4 pool of native currency is always paid in it. */
      readonly payNative: boolean
      readonly slippageBps: number
      readonly deadline: number
      /** Of the plan that is carried out: no more than it is added. */
      readonly kept?: KeptDeposit | undefined
    },
  ): Promise<
    LiquidityPlan<{ readonly liquidity: bigint; readonly amount0: bigint; readonly amount1: bigint }, IncreaseOutcome>
  >
  planRemove(
    chain: Chain,
    position: Position | PairShare,
    request: RemoveRequest,
  ): Promise<LiquidityPlan<RemoveOutcome, RemoveOutcome>>
  planCollect(
    chain: Chain,
    position: Position,
    request: { readonly deadline: number; readonly recipient: Address },
  ): Promise<LiquidityPlan<CollectOutcome, CollectOutcome>>
  /** Collects what positions of one version are owed, all in one transaction. Throws `HOOK_NOT_SUPPORTED`. */
  planCollectAll(
    chain: Chain,
    positions: readonly Position[],
    request: { readonly deadline: number; readonly recipient: Address },
  ): Promise<Intent>
  /** Adds what a position has earned to its liquidity, in one transaction, as far as its range takes it. */
  planCompound(
    chain: Chain,
    position: Position,
    request: {
      /** Whether the side that is too much must be swapped; without, the rest comes to the wallet. */
      readonly swapToRatio: boolean
      /** How the wallet can make several calls one, `null` where it cannot; asked where a swap is needed. */
      readonly atomicRoute: () => Promise<AtomicRouteName | null>
      readonly slippageBps: number
      readonly deadline: number
      readonly recipient: Address
      /** Of the plan that is carried out: no more than it is added. */
      readonly kept?: KeptDeposit | undefined
    },
  ): Promise<LiquidityPlan<CompoundOutcome, CompoundOutcome>>
  /** Closes a position and opens another in its pool with what it paid out. */
  planRebalance(
    chain: Chain,
    position: Position,
    request: {
      /** In the caller's order and price. */
      readonly range: AddRequest['range']
      /** Whether the caller's first token is the pool's second. */
      readonly inverted: boolean
      /** Whether the side that is too much for the new range may be swapped. */
      readonly swapToRatio: boolean
      readonly slippageBps: number
      readonly deadline: number
      readonly recipient: Address
      /** Of the plan that is carried out: its range and liquidity bounds are used again. */
      readonly kept?: KeptDeposit | undefined
    },
  ): Promise<LiquidityPlan<RebalancePreview, RebalanceOutcome>>
  /**
   * Closes a v3 position and opens one of the same range in the v4 pool of its pair and fee, in one transaction that the trading API
   * builds. What does not go into the new position comes to the wallet. Throws `API_KEY_NOT_CONFIGURED` before anything is read,
   * `MIGRATION_NOT_SUPPORTED` where there is no such pool, `HOOK_NOT_SUPPORTED`, `AMOUNT_TOO_SMALL`, `TRADING_API_*`,
   * `UNSAFE_TRANSACTION`.
   */
  planMigrate(
    chain: Chain,
    readPosition: () => Promise<Position>,
    request: MigrateRequest,
  ): Promise<LiquidityPlan<MigratePreview, AddOutcome>>
  planSwap(chain: Chain, quote: Quote, request: SwapRequest): Promise<LiquidityPlan<SwapOutcome, SwapOutcome>>
}

/** An intent with what the planner knows and what its receipt will be decoded into. */
export type LiquidityPlan<Preview, Outcome> = {
  readonly intent: Intent
  readonly preview: Preview
  /** Who built the calls, where it is not this package as ever. */
  readonly notes?: readonly string[]
  /**
   * Reads what really moved out of receipt logs. Asynchronous because a v4 log does not say which part of a removal was
   * principal and which fees: that is read from the pool at the block of the receipt.
   */
  decode(settled: Settled): Promise<Outcome>
}

export type RemoveRequest = {
  /** Above 0 and up to 100. */
  readonly percentage: number
  /** v4 pays out all fees with any removal, whatever this says. */
  readonly collectFees: boolean
  readonly slippageBps: number
  readonly deadline: number
  readonly recipient: Address
  /** What the plan that is carried out says must arrive; the calldata asks for no less. */
  readonly keptReceipts?: readonly TokenQuantity[] | undefined
}

export type SwapRequest = {
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly slippageBps: number
  readonly deadline: number
  readonly recipient: Address
  /** As for `RemoveRequest`. */
  readonly keptReceipts?: readonly TokenQuantity[] | undefined
  /** What the plan that is carried out says may leave at most: of an exact output the calldata takes no more. */
  readonly keptSpends?: readonly TokenQuantity[] | undefined
  /** Said by a swap that is all of a call: somebody else may build it. `keptRouter` is that of the plan that is carried out. */
  readonly alone?: { readonly keptRouter: Address | null } | undefined
}

export type AddRequest = {
  readonly version: Version
  /** In the caller's order. */
  readonly token0: Token
  readonly token1: Token
  readonly fee: number | null
  readonly hooks: Address | null
  readonly amount0: bigint
  /** `null`: computed to match the pool's (or the range's) ratio. */
  readonly amount1: bigint | null
  /** In the caller's order and price; `null` for v2 and for the full range. */
  readonly range:
    | { readonly priceLower: number; readonly priceUpper: number }
    | { readonly pctEachSide: number }
    | 'full'
    | null
  readonly slippageBps: number
  readonly deadline: number
  readonly recipient: Address
  /** Of the plan that is carried out: its range and liquidity bounds are used again, not those of the present price. */
  readonly kept?: KeptDeposit | undefined
  /** One of several operations that become one transaction: its calls are built here whoever builds others. */
  readonly isPart?: true | undefined
}

export type AddPreview = {
  /** State the plan was made at; for a missing pool, the state it will be created with. */
  readonly pool: Pool
  readonly createsPool: boolean
  /** In the pool's order; `null` for v2. */
  readonly tickLower: number | null
  readonly tickUpper: number | null
  /** In the caller's order, each snapped to the nearest usable tick; 0 and Infinity where the range has no end, as in v2. */
  readonly priceLower: number
  readonly priceUpper: number
  readonly currentPrice: number
  readonly liquidity: bigint
  /** In the caller's order. */
  readonly amount0: bigint
  readonly amount1: bigint
}

/** Amounts in the caller's order for add and swap, in the pool's order for calls that name a position. */
export type AddOutcome = {
  readonly positionId: string
  readonly liquidity: bigint
  readonly amount0: bigint
  readonly amount1: bigint
}
export type IncreaseOutcome = { readonly liquidity: bigint; readonly amount0: bigint; readonly amount1: bigint }
export type RemoveOutcome = {
  readonly liquidityRemoved: bigint
  /** Principal alone. */
  readonly amount0: bigint
  readonly amount1: bigint
  readonly fees0: bigint
  readonly fees1: bigint
}
export type CollectOutcome = { readonly fees0: bigint; readonly fees1: bigint }
/** What was collected, and what of it was added. */
export type CompoundOutcome = CollectOutcome &
  IncreaseOutcome & {
    readonly swapped:
      | (SwapOutcome & Pick<Quote, 'version'> & { readonly tokenIn: Token; readonly tokenOut: Token })
      | null
  }

export type MigrateRequest = {
  /** Of the v4 pool; `null` for one without. */
  readonly hooks: Address | null
  readonly slippageBps: number
  readonly deadline: number
  readonly recipient: Address
}

/** Amounts in the order of the new pool, whose tokens may stand the other way round: native currency is always the first. */
export type MigratePreview = {
  readonly position: Position
  readonly pool: Pool
  readonly liquidity: bigint
  readonly amount0: bigint
  readonly amount1: bigint
}

/** Of the old position in the pool's order, of the new one in the caller's. */
export type RebalanceOutcome = {
  readonly closed: RemoveOutcome & { readonly hash: Hash }
  readonly opened: AddOutcome & { readonly hash: Hash }
  readonly swapped: SwapOutcome | null
}
export type RebalancePreview = {
  readonly closed: RemoveOutcome
  readonly opened: AddPreview
  /** `null` where nothing is swapped: all happens in one transaction. */
  readonly swap: (Quote & { readonly tokenIn: Token; readonly tokenOut: Token }) | null
}
export type SwapOutcome = {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** The pools that it went through, where they are not those of the quote. */
  readonly through?: readonly { readonly version: Version; readonly pool: Hex }[]
}

/** Begun once the tokens of what is read are known and the block it is read at, so that what it asks travels with the rest. */
export type Alongside = (tokens: readonly [Token, Token], at: BlockTime) => void
