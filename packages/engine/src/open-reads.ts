import { randomBytes, randomInt } from 'node:crypto'
import { createChainDirectory } from '@svc/amm/chains'
import { createCrossChain } from '@svc/amm/cross-chain'
import { createLiquidity, type ReadPorts } from '@svc/amm/liquidity'
import { createNamedTokens, createPriceSource, type NamedTokens } from '@svc/amm/prices'
import { createRpcPool, type RpcListener } from '@svc/amm/rpc'
import { createTokenDirectory, type TokenStore } from '@svc/amm/tokens'
import { createOrders } from '@svc/amm/orders'
import { createTwamm } from '@svc/amm/twamm'
import { createVaults } from '@svc/amm/vaults'
import type { TradingClient, TradingClientOptions, TradingRoutePorts } from '@svc/amm/upstream'
import type { MarketPorts, PriceMemory, Liquidity } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { createConfirmedSources } from './policy/policy-price-sources.ts'
import type { Policy } from './policy/policy.ts'
import { dailyValueCaps } from './spending/budgets.ts'

/** What server and commands read chains through; nothing is asked before it is needed. */
export function openReads(
  config: ChainAccess,
  { memory, policy, trading = null, orderClient = null, sharedTokens = null, fetch, onAnswer }: ReadsOptions,
): Reads {
  const chains = createChainDirectory(config.chains)
  const { rpcUrls: urls, privateRpcUrls: privateUrls } = config
  const rpc = createRpcPool({ urls, privateUrls, now: Date.now, onAnswer, ...(fetch !== undefined && { fetch }) })
  const tokens = createTokenDirectory({
    chains: config.chains,
    rpc,
    policyTokens: (chainId) => policy().allowlist.tokens[chainId] ?? [],
    shared: sharedTokens,
  })
  const own = createLiquidity({ rpc, tokens })
  const liquidity = trading === null ? own : trading.routed(own, { rpc, tokens })
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
  const vaults = createVaults({ rpc, tokens, named: (chainId) => policy().vaults[chainId] ?? [] })
  const orders = createOrders({ rpc, liquidity, client: orderClient, chains: config.chains })
  const pickNonce = () => BigInt(`0x01${randomBytes(30).toString('hex')}`)
  const crossChain = createCrossChain({ rpc, prices, chains: config.chains, pickNonce })
  const markets = { liquidity, prices, twamm, orders, crossChain, vaults }
  return { chains, rpc, tokens, ...markets, namedTokens: createNamedTokens(confirmed) }
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
  'chains' | 'rpc' | 'tokens' | 'liquidity' | 'prices' | 'twamm' | 'orders' | 'crossChain' | 'vaults'
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
  readonly trading?: Trading | null
  /** Who offers orders and takes signed ones; nobody unless given. */
  readonly orderClient?: TradingClient | null
  /** What other processes know of tokens: only for one that signs nothing, for no write may rest on it. Nothing unless given. */
  readonly sharedTokens?: TokenStore | null
  /** How endpoints are reached; as the platform does unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Hears of each answer of each endpoint; nobody does unless given. */
  readonly onAnswer?: RpcListener | undefined
}

/**
 * The trading API and the guard that each of its transactions passes, with the contracts that chain and policy name at that moment.
 * All that ask with one key share it, for the key is what is limited. `null` without a key: nobody is asked then, and nothing of it is loaded.
 */
export async function openTrading({ tradingApi, policy }: TradingOptions): Promise<Trading | null> {
  if (tradingApi === null) return null
  const [{ createTradingClient, createTradingRoute, routeLiquidity }, { guardUpstream }, { knownContracts }] =
    await Promise.all([
      import('@svc/amm/upstream'),
      import('./upstream/guard-upstream.ts'),
      import('./calldata/known-contracts.ts'),
    ])
  const ports: TradingRoutePorts = {
    client: createTradingClient(tradingApi),
    guard: (transaction, asked) =>
      guardUpstream(transaction, { ...asked, known: knownContracts(asked.chain, policy()) }),
  }
  return { ...ports, routed: (own, reads) => routeLiquidity(own, createTradingRoute(ports, reads)) }
}

type Trading = TradingRoutePorts & {
  /** The same liquidity, of which the API builds what it can. */
  routed(own: Liquidity, reads: ReadPorts): Liquidity
}

/** Who offers orders: the trading API, over the same client, unless it has another place or key. */
export async function openOrderClient(
  options: TradingClientOptions | 'trading-api' | null,
  trading: TradingRoutePorts | null,
): Promise<TradingClient | null> {
  if (options === 'trading-api') return trading?.client ?? null
  if (options === null) return null
  const { createTradingClient } = await import('@svc/amm/upstream')
  return createTradingClient(options)
}

export type TradingOptions = {
  /** `null` where there is no key. */
  readonly tradingApi: TradingClientOptions | null
  /** As it holds now. */
  readonly policy: () => Policy
}
