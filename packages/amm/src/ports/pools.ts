import type { Address, Hash, Hex } from 'viem'
import type { Bars } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'

export type Version = 'v2' | 'v3' | 'v4'

/** A pool's identity and state at one block, in the pool's own token order. */
export type Pool = {
  readonly version: Version
  /** Pair or pool address; for v4 the 32-byte PoolId. */
  readonly id: Hex
  readonly token0: Token
  readonly token1: Token
  /** Hundredths of a basis point; v2 is 3000. In v4 what liquidity providers take in force now, the protocol's part not included. */
  readonly fee: number
  readonly tickSpacing: number | null
  /** `null` without hooks. */
  readonly hooks: Address | null
  /** For v2 derived from the reserves. */
  readonly sqrtPriceX96: bigint
  readonly tick: number
  /** In-range liquidity; for v2 sqrt(reserve0 * reserve1). */
  readonly liquidity: bigint
  readonly reserve0: bigint | null
  readonly reserve1: bigint | null
  readonly feeGrowthGlobal0X128: bigint | null
  readonly feeGrowthGlobal1X128: bigint | null
  /** v3: slot0.feeProtocol; v4: protocolFee; v2 zero. */
  readonly protocolFee: number
  readonly blockNumber: bigint
}

/** A token as handlers see it. Text that came from the chain is already capped and escaped. */
export type Token = {
  /** Zero address for the native currency. */
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly isNative: boolean
  /** True when it stands in the chain's own list; text and decimals of others, also of those that the policy lists, come from the chain. */
  readonly listed: boolean
  readonly usdPegged: boolean
}

export type PoolReference = { readonly version: Version; readonly id: Hex }

export type TickRow = { readonly tick: number; readonly liquidityNet: bigint; readonly liquidityGross: bigint }

export type Position = {
  readonly version: 'v3' | 'v4'
  readonly positionId: string
  readonly owner: Address
  readonly pool: Pool
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  /** What the liquidity would pay out now, without fees, rounded down. */
  readonly amount0: bigint
  readonly amount1: bigint
  /** Fees accrued and not yet collected, exact at the pool's block. */
  readonly fees0: bigint
  readonly fees1: bigint
}

/** The wallet's share of a v2 pair. */
export type PairShare = {
  readonly version: 'v2'
  readonly positionId: Address
  readonly owner: Address
  readonly pool: Pool
  readonly shares: bigint
  /** What a burn of the shares counts with: all there are, and those that the protocol's fee mints first. */
  readonly burnSupply: bigint
  readonly amount0: bigint
  readonly amount1: bigint
}

/** One change of a position, in the pool's order. What a collection pays includes what withdrawals left behind. */
export type PositionEvent = {
  readonly kind: 'deposit' | 'withdrawal' | 'collection'
  readonly amount0: bigint
  readonly amount1: bigint
  /** Unix seconds. */
  readonly timestamp: number
  readonly transactionHash: Hash
  /** Of the pool at that moment; `null` for a collection, and where it is not known. */
  readonly sqrtPriceX96: bigint | null
}

export type PositionEvents = {
  /** Oldest first. */
  readonly events: readonly PositionEvent[]
  /** When the position was opened, Unix seconds; `null` where the logs do not reach back that far, and the events are incomplete. */
  readonly openedAt: number | null
  /** All fees it ever earned, those that still wait included; `null` where the logs do not tell. */
  readonly earned: { readonly fees0: bigint; readonly fees1: bigint } | null
}

/** A v3 or v4 position that is being read at a block: its logs need not wait for that. */
export type PositionUnderway = Pick<Position, 'version' | 'positionId'> & {
  readonly blockNumber: bigint
  readonly reading: Promise<Position>
}

/** When a position was opened (Unix seconds; `null` where that is not known), and by what it was changed, oldest first. */
export type PositionChanges = {
  readonly openedAt: number | null
  readonly events: readonly (Pick<PositionEvent, 'timestamp' | 'transactionHash'> & { readonly blockNumber: bigint })[]
}

export type SwapRecord = {
  readonly blockNumber: bigint
  /** Of its log, in the block. */
  readonly logIndex: number
  readonly timestamp: number
  readonly transactionHash: Hash
  /** Signed as the pool sees it: positive came in. v4 logs are normalised to this. */
  readonly amount0: bigint
  readonly amount1: bigint
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  readonly fee: number
}

export type SwapHistory = {
  readonly swaps: readonly SwapRecord[]
  /** Unix seconds from which on the records are complete. */
  readonly completeFrom: number
  readonly complete: boolean
  /** Where the pool was given its first price, if in this time; not known of pairs. */
  readonly created: { readonly timestamp: number; readonly sqrtPriceX96: bigint } | null
}

export type ReadLimits = {
  readonly signal?: AbortSignal | undefined
  /** Called before each request to the endpoint; what it throws ends the read. */
  readonly onRequest?: (() => void) | undefined
  /** The newest block, where it has just been read. */
  readonly head?: BlockTime | undefined
}

/** What is asked for exactly: how much goes in, or how much comes out. */
export type QuoteRequest = {
  readonly tokenIn: Token
  readonly tokenOut: Token
  /** Only pools of these versions; absent means every version deployed. */
  readonly versions?: readonly Version[]
  /** Whether an exact input may go through pools of several versions, and be shared by several routes, where that brings more than its gas. */
  readonly maySplit?: true
} & (
  | { readonly amountIn: bigint; readonly amountOut?: undefined }
  | { readonly amountOut: bigint; readonly amountIn?: undefined }
)

export type Quote = {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** Said where the output is what was asked for exactly: then slippage is of the input. */
  readonly isExactOut?: true
  /** One to three hops; tokens are the pools' own, so the wrapped one for native currency in v2 and v3. Of a split, that of its largest part. */
  readonly route: readonly Hop[]
  readonly version: RouteVersion
  /** Of an input that several routes share, the largest first; their amounts add up to the whole. */
  readonly parts?: readonly QuotePart[]
  /** Against the mid price of the route, fees left out; positive is worse. */
  readonly priceImpactBps: number
  readonly gasEstimate: bigint
  readonly blockNumber: bigint
}

/** That of all its pools, or that they are of several: such a route is planned through the universal router alone, for an exact input. */
export type RouteVersion = Version | 'mixed'

export type Hop = { readonly pool: Pool; readonly tokenIn: Token; readonly tokenOut: Token }

export type QuotePart = Pick<Quote, 'amountIn' | 'amountOut' | 'route' | 'version'>

/** A block and its time in Unix seconds. */
export type BlockTime = { readonly number: bigint; readonly timestamp: bigint }

/** What a pool traded in the past, and how much of it is known. */
export type PoolHistory = {
  /**
   * The bars from the one that holds `from` to the one before `to` (both Unix seconds); the last is unfinished where `to` lies in it.
   * Bars whose price is unknown, before the first that the source knows, are left out and counted in `completeness`.
   * Throws `RPC_*` where no source answers, `CANCELLED`, `SERVER_BUSY`.
   */
  read(request: HistoryRequest): Promise<PoolBars>
}

export type HistoryRequest = {
  readonly chain: Chain
  readonly pool: Pool
  readonly from: number
  readonly to: number
  readonly barSeconds: number
  /** Of a caller who may leave: then no further logs are asked for. */
  readonly signal?: AbortSignal | undefined
  /** For whom it is read: those who wait take turns. */
  readonly principalId?: string | undefined
  /** Where prices suffice the pool's own oracle may tell the bars that nothing else does: then figures are `null`, and inputs and fees 0. */
  readonly needs?: 'prices' | undefined
}

export type HistorySource = 'rpc' | 'subgraph' | 'archive' | 'oracle'

export type PoolBars = {
  /** In the pool's own token order. */
  readonly bars: Bars
  readonly figures: BarFigures
  /** `archive` and `oracle` where a part is out of the pool's state at past blocks, or what its oracle remembers; the note says which. */
  readonly source: HistorySource
  readonly completeness: Completeness
  /** True where the inputs of a bar follow from totals, or its price from its ends: whatever a subgraph tells. */
  readonly isEstimate: boolean
}

/** Columns as long as the bars; `null` where the source or a price is missing. */
export type BarFigures = {
  readonly volumeUsd: Float64Array | null
  /** What liquidity providers earned. */
  readonly feesUsd: Float64Array | null
  /** At the end of each bar. */
  readonly tvlUsd: Float64Array | null
  readonly trades: Float64Array | null
}

export type Completeness = {
  readonly barsExpected: number
  /** Bars given back, those of no trade included. */
  readonly barsFound: number
  /** Whether no trade of the period is missing: bars that are left out then had none. */
  readonly hasAllTrades: boolean
  /** How many of them the source had nothing of, and were taken to be without a trade. */
  readonly gaps: number
  /** Where each of those begins, Unix seconds. */
  readonly gapsAt: readonly number[]
  /** What is missing and why, in our own words. */
  readonly note: string | null
}

/**
 * What is thrown where every version has been told apart. Its argument is `never`, so a version that is added is a fault of each such place for the
 * compiler, and none is taken for another.
 */
export function unknownVersion(version: never): TypeError {
  return new TypeError(`There is no version ${String(version)} here.`)
}
