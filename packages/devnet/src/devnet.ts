import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import type { DevAccount, Sponsors } from './accounts.ts'
import type { Amounts } from './chain/fund.ts'
import type { DevnetFeed, DevnetSequencer } from './feeds/create-feeder.ts'
import type { FeedSymbol, Asset } from './seed/token-specs.ts'
import type { DevnetRewards } from './rewards/create-rewards.ts'
import type { UsdPrices } from './seed/market.ts'
import type { MarketMove, Trader, TraderOptions } from './seed/trading.ts'

export type DevnetOptions = {
  /** 0 or absent: any free port. */
  readonly rpcPort?: number
  /** 31337 when absent. */
  readonly chainId?: number
  /** Where seeded chains are kept; else `svc` in the user's cache folder. */
  readonly cacheDir?: string
  /** Thirty days of trading (default), or contracts, tokens and pools alone. */
  readonly history?: boolean
  /** What the market of a chain without a history is at, as `market.prices()` of another says it; where it was seeded when absent. */
  readonly prices?: UsdPrices
  readonly onProgress?: (line: string) => void
  /** The anvil program; else it is looked for (see `anvilPath`). */
  readonly anvilPath?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

export type Devnet = {
  readonly rpcUrl: string
  readonly chainId: number
  /** Of the anvil process. */
  readonly pid: number
  /** The chain's row for a chain table. */
  readonly chain: Chain
  readonly tokens: readonly DevnetToken[]
  readonly pools: readonly DevnetPool[]
  /** A hook for orders that are sold over time, and its pool. From the start on a stranger's order sells WETH in it for a day. */
  readonly twamm: { readonly hook: Address; readonly pool: DevnetPool }
  /** Ten accounts that hold ether and 50,000 dollars of every token. Their keys are public. */
  readonly accounts: readonly DevAccount[]
  /** Where agents are registered: by ERC-8004, and by the older form with a handle. */
  readonly registry: { readonly identity: Address; readonly handle: Address }
  /** EntryPoint 0.8 and the account that EIP-7702 delegates to, both at their canonical addresses. */
  readonly entryPoint: Address
  readonly simple7702Account: Address
  /** What a wallet delegates to (EIP-7702) to make several calls as one. */
  readonly batchDelegate: Address
  /** Pays for what `sponsors.paymasterSigner` signs; ten ether of it lie at the EntryPoint. */
  readonly paymaster: Address
  /** Whose keys sign and send what is sponsored. They are public too. */
  readonly sponsors: Sponsors
  /** What accounts have earned beside fees, and can claim; the ten accounts have a little of it. */
  readonly rewards: DevnetRewards
  /** ERC-4626 vaults of the layout's deployer, with deposits of strangers in them; the one of dollars lends most of them on. */
  readonly vaults: readonly DevnetVault[]
  /** The market outside the chain, which no pool and no feed can be made to lie about. */
  readonly market: DevnetMarket
  /** Price feeds as Chainlink's, which follow the market along with trades. On a chain without trades they stand still. */
  readonly feeds: Readonly<Record<FeedSymbol, DevnetFeed>>
  readonly sequencer: DevnetSequencer
  /** Adds to what the address holds; amounts are decimal strings in whole tokens, by symbol or `ETH`. */
  fund(address: Address, amounts: Amounts): Promise<void>
  /** So many trades by others now, at the market's prices. The same seed on the same state gives the same trades. */
  trade(count: number, seed?: string | number, pools?: readonly Hex[]): Promise<void>
  /** Lets others trade every so often until stopped; `stop()` of the chain stops it too. */
  startTrader(options: TraderOptions): Trader
  /** Mines one block at that time (unix seconds), later than the head's; the clock runs on from there. */
  mineTo(timestamp: number): Promise<void>
  /** Remembers the state of chain, market and feeds; what it returns brings it back, once, with the clock at the present. */
  checkpoint(): Promise<() => Promise<void>>
  /** Settles when the chain's process has ended, for whatever reason. */
  readonly exited: Promise<void>
  /** Ends the chain's process and waits for its end. */
  stop(): Promise<void>
}

export type DevnetMarket = {
  prices(): UsdPrices
  /**
   * Multiplies prices, as in `{ ETH: 1.05 }`; arbitrage brings all pools after them, and the feeds post what is due. With
   * nothing named, pools that were pushed come back, and feeds that grew old answer anew.
   */
  move(factors: MarketMove): Promise<void>
}

export type DevnetVault = { readonly label: string; readonly address: Address; readonly asset: Address }

export type DevnetToken = {
  /** Our handle; the hostile token answers something else on chain. */
  readonly symbol: Asset
  readonly name: string
  readonly address: Address
  readonly decimals: number
}

export type DevnetPool = {
  readonly version: 'v2' | 'v3' | 'v4'
  /** Pair or pool address; for v4 the 32-byte PoolId. */
  readonly id: Hex
  /** Sorted as the pool sorts them; the zero address for the native currency. */
  readonly token0: Address
  readonly token1: Address
  /** Hundredths of a basis point. */
  readonly fee: number
  /** `null` for v2. */
  readonly tickSpacing: number | null
  /** The zero address for v4 pools without hooks, `null` for v2 and v3. */
  readonly hooks: Address | null
  /** For people, for example `WETH/USDC 0.05 %`; unique together with the version. */
  readonly label: string
}
