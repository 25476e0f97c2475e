import { randomInt } from 'node:crypto'
import { createChainDirectory } from '@svc/amm/chains'
import { createLiquidity } from '@svc/amm/liquidity'
import { createNamedTokens, createPriceSource, type NamedTokens } from '@svc/amm/prices'
import { createRpcPool } from '@svc/amm/rpc'
import { createTokenDirectory } from '@svc/amm/tokens'
import { createOrders } from '@svc/amm/orders'
import { createTwamm } from '@svc/amm/twamm'
import { createVaults } from '@svc/amm/vaults'
import {
  createTradingClient,
  createTradingRoute,
  type TradingClient,
  type TradingClientOptions,
  type TradingRoutePorts,
  routeLiquidity,
} from '@svc/amm/upstream'
import type { MarketPorts, PriceMemory } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { knownContracts } from './calldata/known-contracts.ts'
import { createConfirmedSources } from './policy/policy-price-sources.ts'
import type { Policy } from './policy/policy.ts'
import { guardUpstream } from './upstream/guard-upstream.ts'
import { dailyValueCaps } from './spending/budget-names.ts'

/** What server and commands read chains through; nothing is asked before it is needed. */
export function openReads(
  config: ChainAccess,
  { memory, policy, trading = null, orderClient = null }: ReadsOptions,
): Reads {
  const chains = createChainDirectory(config.chains)
  const rpc = createRpcPool({ urls: config.rpcUrls, privateUrls: config.privateRpcUrls, now: Date.now })
  const tokens = createTokenDirectory({
    chains: config.chains,
    rpc,
    policyTokens: (chainId) => policy().allowlist.tokens[chainId] ?? [],
  })
  const own = createLiquidity({ rpc, tokens })
  const liquidity = trading === null ? own : routeLiquidity(own, createTradingRoute(trading, { rpc, tokens }))
  const confirmed = createConfirmedSources(policy)
  const prices = createPriceSource({
    rpc,
    tokens,
    liquidity,
    memory,
    confirmed,
    pushBudgetUsd: () => Number(dailyValueCaps(policy()).coldStart) / 1e6,
    pickInt: (below) => randomInt(below),
  })
  const twamm = createTwamm({ rpc, liquidity, named: (chainId) => policy().twammHooks[chainId] ?? [] })
  const vaults = createVaults({ rpc, tokens, liquidity, named: (chainId) => policy().vaults[chainId] ?? [] })
  const orders = createOrders({ rpc, liquidity, client: orderClient, chains: config.chains })
  return { chains, rpc, tokens, liquidity, prices, twamm, orders, vaults, namedTokens: createNamedTokens(confirmed) }
}

/** The chains of a process, and by which endpoints it reaches each. */
export type ChainAccess = {
  readonly chains: readonly Chain[]
  readonly rpcUrls: (chain: Chain) => readonly string[]
  /** Where trades go that are kept from the public pool; nowhere without one. */
  readonly privateRpcUrls: (chain: Chain) => readonly string[]
}

export type Reads = Pick<
  MarketPorts,
  'chains' | 'rpc' | 'tokens' | 'liquidity' | 'prices' | 'twamm' | 'orders' | 'vaults'
> & {
  /** What each price is taken from. */
  readonly namedTokens: NamedTokens
}

export type ReadsOptions = {
  /** What the server has seen of prices; `null` where nothing is remembered. */
  readonly memory: PriceMemory | null
  /** As it holds now: the tokens that the operator listed, the price sources confirmed for them, TWAMM hooks and vaults. */
  readonly policy: () => Policy
  /** Who else builds transactions; nobody unless given. */
  readonly trading?: TradingRoutePorts | null
  /** Who offers orders and takes signed ones; nobody unless given. */
  readonly orderClient?: TradingClient | null
}

/**
 * The trading API and the guard that each of its transactions passes, with the contracts that chain and policy name at that moment.
 * All that ask with one key share it, for the key is what is limited. `null` without a key: nobody is asked then.
 */
export function openTrading({ tradingApi, policy }: TradingOptions): TradingRoutePorts | null {
  if (tradingApi === null) return null
  return {
    client: createTradingClient(tradingApi),
    guard: (transaction, asked) =>
      guardUpstream(transaction, { ...asked, known: knownContracts(asked.chain, policy()) }),
  }
}

/** Who offers orders: the trading API, over the same client, unless it has another place or key. */
export function openOrderClient(
  options: TradingClientOptions | 'trading-api' | null,
  trading: TradingRoutePorts | null,
): TradingClient | null {
  if (options === 'trading-api') return trading?.client ?? null
  return options === null ? null : createTradingClient(options)
}

export type TradingOptions = {
  /** `null` where there is no key. */
  readonly tradingApi: TradingClientOptions | null
  /** As it holds now. */
  readonly policy: () => Policy
}
