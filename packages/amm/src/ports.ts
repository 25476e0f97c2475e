import type { Chain } from '@svc/wallet/core'
import type { Address, Hash, PublicClient } from 'viem'
import type { PoolHistory, BlockTime, Pool, Token, Version } from './ports/pools.ts'
import type { Liquidity } from './ports/liquidity.ts'
import type { Rewards } from './ports/rewards.ts'
import type { CrossChain, Orders, Twamm } from './ports/orders.ts'
import type { PriceBand, PriceDoubt, PriceWitness } from './ports/prices.ts'
import type { Vaults } from './ports/vaults.ts'

export type {
  OwnTwammOrder,
  Twamm,
  TwammOrder,
  TwammPayout,
  TwammPool,
  TwammSubmission,
  OrderFacts,
  OrderFill,
  OrderPlan,
  OrderReads,
  OrderRequest,
  Orders,
  SignedOrder,
  CrossChain,
  CrossChainFill,
  CrossChainRefund,
  CrossChainRequest,
  OpenedOrder,
} from './ports/orders.ts'
export type {
  BarFigures,
  HistoryRequest,
  HistorySource,
  PoolBars,
  PoolHistory,
  BlockTime,
  PairShare,
  Pool,
  PoolReference,
  Position,
  PositionChanges,
  PositionEvent,
  PositionEvents,
  Hop,
  PositionUnderway,
  Quote,
  QuotePart,
  RouteVersion,
  QuoteRequest,
  ReadLimits,
  SwapHistory,
  SwapRecord,
  TickRow,
  Token,
  Version,
} from './ports/pools.ts'
export type {
  AddOutcome,
  AddPreview,
  AddRequest,
  Alongside,
  CollectOutcome,
  CompoundOutcome,
  IncreaseOutcome,
  Liquidity,
  LiquidityPlan,
  MigratePreview,
  MigrateRequest,
  RebalanceOutcome,
  RebalancePreview,
  RemoveOutcome,
  RemoveRequest,
  SwapOutcome,
  SwapRequest,
} from './ports/liquidity.ts'
export type { ClaimableReward, ClaimedReward, ClaimPlan, Rewards } from './ports/rewards.ts'
export {
  isUnnamed,
  mayPass,
  type PriceBand,
  type PriceDoubt,
  type PriceMemory,
  type PriceWitness,
  type Sighting,
} from './ports/prices.ts'
export type {
  DepositSimulation,
  Vault,
  VaultAccount,
  VaultDepositRequest,
  VaultExit,
  VaultGrowth,
  VaultLimit,
  VaultMove,
  VaultRebalance,
  Vaults,
  VaultState,
  VaultStrategy,
  WithdrawalSimulation,
} from './ports/vaults.ts'
export type { GuardUpstream, PoolFacts, UpstreamAsked, UpstreamKind, UpstreamTransaction } from './ports/upstream.ts'

/** The chain as it is read: what a plan, a price or an analysis is made from. Tests use the real ones on the local chain. */
export type MarketPorts = {
  readonly chains: ChainDirectory
  readonly rpc: RpcPool
  readonly tokens: TokenDirectory
  readonly prices: PriceSource
  readonly liquidity: Liquidity
  readonly history: PoolHistory
  readonly reach: ChainReach
  readonly rewards: Rewards
  readonly twamm: Twamm
  readonly orders: Orders
  readonly crossChain: CrossChain
  readonly vaults: Vaults
}

export type ChainDirectory = {
  list(): readonly Chain[]
  /** By id, name or alias. Throws `CHAIN_NOT_SUPPORTED` naming `field` and the known chains. Reads nothing. */
  get(nameOrId: string, field?: string): Chain
}

export type RpcPool = {
  /** A client that batches the reads of one tick into one HTTP request and maps its failures to `RPC_*` codes. */
  client(chain: Chain): PublicClient
  /** Of the endpoint that keeps transactions from the public pool, which is asked for nothing but to take them; `null` without one. */
  privately?(chain: Chain): PublicClient | null
  /** One for each endpoint of a chain, which asks that endpoint alone: for what all of them have to say. */
  each(chain: Chain): readonly PublicClient[]
  /** The newest block, after checking chain id and age. Throws `RPC_CHAIN_MISMATCH`, `RPC_STALE`, `RPC_UNAVAILABLE`, `RPC_TIMEOUT`. */
  head(chain: Chain): Promise<{
    readonly number: bigint
    readonly timestamp: bigint
    readonly hash: Hash
    readonly baseFeePerGas: bigint
  }>
  /**
   * Runs `work` so that every head it asks for within ten seconds is the first one of that chain, and all it reads comes from the endpoint
   * that gave this, or one that shows the same block: one answer is of one block, seen by one endpoint.
   */
  readonly atOneBlock?: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** The head of the answer underway, once it was read; asks nothing. */
  seenHead?(chain: Chain): BlockTime | null
  /** The same for all answers that see the same of a chain, which may share a read; `newest` where none is underway. */
  nameOfView?(chain: Chain): string
  /**
   * The place, in the operator's order, of the endpoint that gave the head of the answer underway or else comes first, and how wide ranges of
   * logs the one that is asked next takes, as earlier scans found out; `null` where none is configured.
   */
  nextEndpoint?(chain: Chain): { readonly place: number; readonly logSpans: LogSpans } | null
  /** The newest block that was read, if that was within the last second; asks nothing. It may be the newest no longer. */
  lastHead?(chain: Chain): (BlockTime & { readonly hash: Hash }) | null
  /**
   * The same for state of older blocks, which not every endpoint keeps: asks a single endpoint a single time, one that has
   * had such state if there is one.
   */
  past(chain: Chain): PublicClient
  /** How many transactions of an account each endpoint that answers counts at its newest block. Throws `RPC_*` when none does. */
  transactionCounts(chain: Chain, address: Address): Promise<readonly number[]>
  /** Whether an endpoint gives its head and calls contracts within 1.4 s, and how old the head is, found out at most every 30 s; never throws. */
  probe(chain: Chain): Promise<{
    readonly healthy: boolean
    readonly headAgeSeconds: number | null
    readonly latencyMs: number | null
    readonly problem: string | null
    /** Unix milliseconds: when that was found out, which the age of the head is of as well. */
    readonly at: number
  }>
}

/** How many blocks of logs an endpoint takes at once, as earlier scans found out. */
export type LogSpans = {
  /** How wide to begin a scan that would begin with `usual` blocks. */
  of(name: string, usual: bigint): LogSpan
  keep(name: string, span: LogSpan, usual: bigint): void
  /** Whether a range of so many blocks, or of fewer, was refused lately. */
  isRefused(name: string, blocks: bigint): boolean
  refuse(name: string, blocks: bigint): void
}

export type LogSpan = {
  readonly blocks: bigint
  /** Whether a wider range was refused lately. */
  readonly isWidest: boolean
}

export type TokenDirectory = {
  /** Symbol (listed tokens, native currency) or checksummed address. Throws `TOKEN_NOT_FOUND`, `TOKEN_AMBIGUOUS` (candidates in details). */
  resolve(chain: Chain, symbolOrAddress: string, field: string): Promise<Token>
  /** By address, native included; reads the chain for unlisted ones. */
  byAddress(chain: Chain, address: Address): Promise<Token>
  /** Whether the chain's own list or the operator's policy names a token, as writes see it; the native currency always counts. */
  isListed(chain: Chain, address: Address): boolean
  /** The tokens that the policy lists beside the chain's own. Reads the chain; an address without a token is left out. Throws `RPC_*`. */
  listedByPolicy(chain: Chain): Promise<readonly Token[]>
  /** Whether the policy lists tokens of a chain beside the chain's own, as it holds now. */
  isNamedByPolicy(chain: Chain): boolean
  /** Among the tokens of one chain, or of all, that `isListed` knows. `unread` are chains whose tokens of the policy could not be read. */
  search(
    query: string,
    chain: Chain | null,
    limit: number,
  ): Promise<{
    readonly found: readonly (Token & { readonly chain: Chain })[]
    readonly unread: readonly Chain[]
  }>
  /** The wrapped native token. */
  wrapped(chain: Chain): Token
}

export type UsdPrice = {
  /** For reports: the middle of the band, or the price of the deepest pool where no source is named. */
  readonly usd: number
  /** What limits and values are counted with: the price by named sources. `null` where they say nothing; `doubt` then says why. */
  readonly band: PriceBand | null
  readonly doubt: PriceDoubt | null
  /** What each named source said, also where there is no band; absent where no source is named. */
  readonly witnesses?: readonly PriceWitness[]
  /** For a token without a named source, the highest price that any pool gives or gave, in US dollars times 1e18; else `null`. */
  readonly mostE18: bigint | null
  /** Unix seconds of the block it was read at. */
  readonly readAt: number
  readonly method: 'feed' | 'peg' | 'pool_twap' | 'pool_spot'
  /** The pools it rests on, deepest first; without a named source the pool it was read from, then the pool of its quote token. */
  readonly pools: readonly string[]
  /** What those pools hold on their shallower sides; 0 for a feed or a peg without pools. */
  readonly liquidityUsd: number
  readonly confidence: 'HIGH' | 'MODERATE' | 'LOW'
  readonly blockNumber: bigint
}

export type PriceSource = {
  /**
   * `null` when no source gives a price and no pool is deep enough to report one.
   *
   * @param at the block to read at; the newest when absent
   */
  usd(chain: Chain, token: Token, at?: BlockTime): Promise<UsdPrice | null>
  /** Why a token has no trusted price, also where `usd` is `null`; `null` where it has one. */
  doubt(chain: Chain, token: Token, at?: BlockTime): Promise<PriceDoubt | null>
  /** Price of one whole token in units of another by the deepest pool between them; `null` without one. */
  ratio(chain: Chain, base: Token, quote: Token): Promise<{ readonly price: number; readonly pool: Pool } | null>
}

export type HistoryPorts = Pick<MarketPorts, 'rpc' | 'prices'> & { readonly liquidity: Pick<Liquidity, 'swaps'> }

/** What of the past can be read on a chain, so that whoever asks knows beforehand which tools will answer. */
export type ChainReach = {
  /** What its endpoints reach, found out at most every half hour; `null` while it is not known. The same promise as long as nothing else is known. Never throws. */
  endpoints(chain: Chain): Promise<EndpointReach | null>
  /** The versions whose pools a subgraph tells of. Whether that answers is not asked. */
  subgraphs(chain: Chain): readonly Version[]
}

export type EndpointReach = {
  /** The age of the oldest state that was found, of a few depths, and no more than histories are sampled back; 0 where there is none. */
  readonly stateDays: number
  /** How far back the swap logs of a pool are read for one answer at least, unless it trades so much that ranges get narrower; 0 where no logs are given. */
  readonly logDays: number
  /** The widest range of blocks, of a few, whose logs are given. */
  readonly logRangeBlocks: number
  /** Whether calls are simulated one after the other (`eth_simulateV1`). */
  readonly simulates: boolean
}

/** What the reading half of liquidity reads the world through. */
export type ReadPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'seenHead' | 'nameOfView' | 'nextEndpoint'>
  readonly tokens: Pick<TokenDirectory, 'byAddress' | 'wrapped'>
}

/** What planning reads the world through: the read side of liquidity, the wrapped native token, a client. */
export type PlanPorts = {
  readonly rpc: Pick<RpcPool, 'client'>
  readonly tokens: Pick<TokenDirectory, 'wrapped'>
  readonly liquidity: Pick<Liquidity, 'findPools'>
}
