import type { Address, Hex, PublicClient } from 'viem'
import type { RegistryForm } from './agent/lookup/identity-registries.ts'

/** One chain as a row of data. Whatever differs between chains is a member here, never an `if` in code. */
export type Chain = {
  readonly id: number
  /** Canonical lower-case name, for example `base`. */
  readonly name: string
  /** Other lower-case names a caller may use. */
  readonly aliases: readonly string[]
  readonly testnet: boolean
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
  /** Endpoints without a key, tried in order when the operator names none. */
  readonly publicRpcUrls: readonly string[]
  readonly explorerUrl: string | null
  /** Blocks, the one that holds the transaction included, after which a receipt counts. */
  readonly confirmations: number
  readonly blockTimeSeconds: number
  /** A head older than this is stale; `null` where blocks come only with transactions. */
  readonly maxHeadAgeSeconds: number | null
  /** Whole gwei a tip may always have, whatever the base fee is; 5 where it is left out. Above it a tip is held to twice the base fee. */
  readonly ordinaryTipGwei?: number
  /** The most whole gwei the gas of one transaction may cost unless the caller says otherwise; 5,000,000, which are 0.005 of the native currency, where it is left out. */
  readonly maxGasFeeGwei?: number
  /** Whether receipts name a fee for the parent chain beside gas, as `l1Fee` (OP stack); not where it is left out. */
  readonly l1DataFee?: boolean
  /** Whether the faucet of the support API serves the chain; not where it is left out. */
  readonly faucet?: boolean
  /** Whether a registration asks a paymaster without being asked to; not where it is left out. */
  readonly sponsored?: boolean
  /** Whether it is a chain of one's own, whose node a provider lets be administered; not where it is left out. */
  readonly local?: boolean
  /** Largest span of one `eth_getLogs` that common endpoints answer. */
  readonly logRangeBlocks: number
  readonly multicall3: Address
  readonly permit2: Address
  readonly wrappedNative: ChainToken
  readonly amm: AmmDeployment
  /** Whether the sequencer of a roll-up is up (Chainlink's uptime feed), and how long after an outage feeds are not believed. */
  readonly sequencerUptimeFeed?: { readonly address: Address; readonly graceSeconds: number }
  /** Where agents are registered, in place of what the table of identity registries says of the chain. */
  readonly identityRegistry?: { readonly address: Address; readonly form: RegistryForm }
  /** Where rewards of incentive campaigns are claimed: a distributor with Merkl's ABI. */
  readonly rewardDistributor?: Address
  /** What settles orders of the form `V2DutchOrder` (UniswapX), through the chain's Permit2. */
  readonly orderReactor?: Address
  /** What settles cross-chain orders of ERC-7683: those that are opened on the chain, and those that are filled on it. */
  readonly crossChainSettler?: Address
  /** Where the subgraphs of the AMM versions are: an id at The Graph's gateway, or a URL of one's own. */
  readonly subgraphs?: { readonly v2?: string; readonly v3?: string; readonly v4?: string }
  /** The short list of tokens known by symbol. The wrapped native token is among them. */
  readonly tokens: readonly ChainToken[]
}

/** A token that is known by its symbol on one chain. */
export type ChainToken = {
  readonly symbol: string
  readonly name: string
  readonly address: Address
  readonly decimals: number
  /** True for a token whose target price is one US dollar. */
  readonly usdPegged?: boolean
  /** What its price is taken from: named by a person, never discovered. */
  readonly priceSources?: PriceSources
}

/** What the price of a token in US dollars is taken from. */
export type PriceSources = {
  readonly feed?: UsdFeed
  readonly pools?: readonly ReferencePool[]
}

/** A Chainlink aggregator (AggregatorV3Interface) of a price in US dollars. */
export type UsdFeed = {
  readonly address: Address
  /** Its answer is at most this old while it works. */
  readonly heartbeatSeconds: number
  /** The market may be this far from its answer before it answers anew. */
  readonly deviationBps: number
  readonly decimals: number
  /** Answers at or beyond these bounds are no price; in the aggregator's own units. */
  readonly minAnswer?: bigint
  readonly maxAnswer?: bigint
}

/** A pool of the token against another listed one that a person vouches for. Without hooks in v4. */
export type ReferencePool = {
  readonly version: 'v2' | 'v3' | 'v4'
  /** Pair or pool address; for v4 the 32-byte PoolId. Follows from the rest, and a test holds it to that. */
  readonly id: Hex
  /** The other token; in v4 the zero address where the pool holds the native currency. */
  readonly quote: Address
  /** Hundredths of a basis point; 3000 for v2. */
  readonly fee: number
  /** v4 alone; in v3 it follows from the fee. */
  readonly tickSpacing?: number
  /** v4 alone: the pool holds native currency in place of the wrapped token that is priced. */
  readonly native?: boolean
}

/** Where the AMM contracts of each protocol version stand on a chain. A missing version is not deployed there. */
export type AmmDeployment = {
  readonly v2?: { readonly factory: Address; readonly router: Address; readonly pairInitCodeHash: Hex }
  readonly v3?: {
    readonly factory: Address
    readonly positionManager: Address
    readonly swapRouter02: Address
    readonly quoterV2: Address
    readonly tickLens: Address
    /** Chain 324 derives CREATE2 addresses by another formula: ask the factory there. */
    readonly poolInitCodeHash: Hex
  }
  readonly v4?: {
    readonly poolManager: Address
    readonly positionManager: Address
    readonly stateView: Address
    readonly quoter: Address
  }
  /** `version` decides the encoding of v4 swap structs: bounds per hop in the path form from 2.1.0 on, in the single form from 2.1.1 on. */
  readonly universalRouter?: { readonly address: Address; readonly version: '2.0' | '2.1.0' | '2.1.1' }
}

export type OpenChain = { readonly chain: ChainFacts; readonly client: PublicClient; readonly rpcUrl: string }

/** What of a chain's row a wallet needs. */
export type ChainFacts = Pick<
  Chain,
  | 'id'
  | 'name'
  | 'testnet'
  | 'nativeCurrency'
  | 'publicRpcUrls'
  | 'explorerUrl'
  | 'confirmations'
  | 'blockTimeSeconds'
  | 'logRangeBlocks'
  | 'ordinaryTipGwei'
  | 'faucet'
  | 'sponsored'
  | 'local'
  | 'maxGasFeeGwei'
>

/** Deployments and code hashes that are the same wherever nothing else is said. */
export const canonical: {
  readonly permit2: Address
  readonly multicall3: Address
  readonly rewardDistributor: Address
  readonly pairInitCodeHash: Hex
  readonly poolInitCodeHash: Hex
} = {
  permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  rewardDistributor: '0x3Ef3D8bA38EBe18DB133cEc108f4D14CE00Dd9Ae',
  pairInitCodeHash: '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
  poolInitCodeHash: '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54',
}
