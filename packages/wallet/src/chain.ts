import type { Address, Hex } from 'viem'
import type { RegistryForm } from './agent/identity-registries.ts'

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
  /** Whether a registration asks a paymaster without being told to; not where it is left out. */
  readonly sponsored?: boolean
  /** Whether it is a chain of one's own, whose node a provider lets be administered; not where it is left out. */
  readonly local?: boolean
  /** Largest span of one `eth_getLogs` that common endpoints answer. */
  readonly logRangeBlocks: number
  readonly multicall3: Address
  readonly permit2: Address
  readonly wrappedNative: ChainToken
  readonly amm: AmmDeployment
  /** Where agents are registered, in place of what the table of identity registries says of the chain. */
  readonly identityRegistry?: { readonly address: Address; readonly form: RegistryForm }
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
  /** An aggregator of its price in US dollars (Chainlink's AggregatorV3Interface), and the most an answer may be old. */
  readonly usdFeed?: { readonly address: Address; readonly heartbeatSeconds: number }
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
