import { type Chain, chains, type ChainToken, findChain } from '@svc/wallet/core'
import {
  type Layout,
  multicall3Address,
  pairInitCodeHash,
  permit2Address,
  type PlacedPool,
  poolInitCodeHash,
} from '../seed/layout.ts'
import {
  type Asset,
  type TokenSpec,
  tokenSpecs,
  type TokenSymbol,
  feedDecimals,
  feedHeartbeatSeconds,
  feedSpecs,
  type FeedSymbol,
  sequencerGraceSeconds,
} from '../seed/token-specs.ts'

/** The row of the local chain for a chain table. The odd tokens are not on its list, as they would be on none. */
export function chainRow(layout: Layout, chainId: number, rpcUrl: string): Chain {
  const { contracts, agents } = layout
  const token = ({ symbol, name, decimals, usdPegged }: ListedSpec): ChainToken => {
    const priceSources = priceSourcesOf(layout, symbol)
    const address = layout.tokens[symbol]
    return { symbol, name, decimals, address, ...(usdPegged && { usdPegged }), ...(priceSources && { priceSources }) }
  }
  const tokens = tokenSpecs.filter(isListed).map(token)
  const { faucet, sponsored } = findChain(chains, `${chainId}`) ?? {}
  return {
    id: chainId,
    name: 'local',
    aliases: ['devnet', 'localhost', 'anvil'],
    testnet: true,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    publicRpcUrls: [rpcUrl],
    explorerUrl: null,
    confirmations: 1,
    blockTimeSeconds: 1,
    maxHeadAgeSeconds: null,
    logRangeBlocks: 10_000,
    local: true,
    // Under the id of a public chain it stands for that one.
    ...(faucet && { faucet }),
    ...(sponsored && { sponsored }),
    multicall3: multicall3Address,
    permit2: permit2Address,
    rewardDistributor: layout.rewardDistributor,
    orderReactor: layout.orderReactor,
    crossChainSettler: layout.crossChainSettler,
    wrappedNative: token(tokenSpecs[0]),
    amm: {
      v2: { factory: contracts.v2Factory, router: contracts.v2Router, pairInitCodeHash },
      v3: {
        factory: contracts.v3Factory,
        positionManager: contracts.v3PositionManager,
        swapRouter02: contracts.swapRouter02,
        quoterV2: contracts.quoterV2,
        tickLens: contracts.tickLens,
        poolInitCodeHash,
      },
      v4: {
        poolManager: contracts.poolManager,
        positionManager: contracts.v4PositionManager,
        stateView: contracts.stateView,
        quoter: contracts.v4Quoter,
      },
      universalRouter: { address: contracts.universalRouter, version: '2.1.0' },
    },
    // There is none, but what is done when one was down has to be seen somewhere.
    sequencerUptimeFeed: { address: layout.feeds.sequencer, graceSeconds: sequencerGraceSeconds },
    identityRegistry: { address: agents.identityRegistry, form: 'erc8004-v1' },
    tokens,
  }
}

type ListedSpec = TokenSpec & { readonly symbol: (typeof tokenSpecs)[number]['symbol'] }

function isListed(spec: TokenSpec): boolean {
  return spec.kind === 'weth9' || spec.kind === 'plain'
}

/** What the price of a listed token is taken from on the local chain; `null` for tokens that nobody named a source for. */
function priceSourcesOf(layout: Layout, symbol: TokenSymbol): PriceSources | null {
  const sources = namedSources[symbol]
  if (!sources) return null
  const pools = sources.pools.map((named) => referencePool(layout, symbol, named))
  return { feed: feedOf(layout, sources.feed), ...(pools.length > 0 && { pools }) }
}

type PriceSources = NonNullable<ChainToken['priceSources']>
type ReferencePool = NonNullable<PriceSources['pools']>[number]

type Named = {
  readonly feed: FeedSymbol
  readonly pools: readonly (readonly [PlacedPool['version'], base: Asset, quote: Asset, fee: number])[]
}

const namedSources: Readonly<Partial<Record<TokenSymbol, Named>>> = {
  WETH: {
    feed: 'ETH',
    pools: [
      ['v3', 'WETH', 'USDC', 500],
      ['v3', 'WETH', 'USDC', 3_000],
      ['v2', 'WETH', 'USDC', 3_000],
      ['v4', 'ETH', 'USDC', 500],
    ],
  },
  WBTC: { feed: 'BTC', pools: [['v3', 'WBTC', 'WETH', 3_000]] },
  USDC: { feed: 'USDC', pools: [] },
  USDT: { feed: 'USDT', pools: [['v3', 'USDC', 'USDT', 100]] },
  DAI: { feed: 'DAI', pools: [['v3', 'DAI', 'USDC', 100]] },
}

function feedOf({ feeds }: Layout, symbol: FeedSymbol): NonNullable<PriceSources['feed']> {
  const deviationBps = feedSpecs.find((spec) => spec.symbol === symbol)?.deviationBps ?? 0
  return { address: feeds[symbol], heartbeatSeconds: feedHeartbeatSeconds, deviationBps, decimals: feedDecimals }
}

function referencePool(layout: Layout, symbol: TokenSymbol, named: Named['pools'][number]): ReferencePool {
  const [version, base, quote, fee] = named
  const pool = layout.pools.find(
    (each) => each.version === version && each.base === base && each.quote === quote && each.fee === fee,
  )
  if (!pool) throw new Error(`The local chain has no ${version} pool ${base}/${quote} ${fee}`)
  const other = base === symbol || (base === 'ETH' && symbol === 'WETH') ? quote : base
  const native = pool.asset0 === 'ETH' && { native: true }
  const spacing = version === 'v4' && pool.tickSpacing !== null && { tickSpacing: pool.tickSpacing }
  return { version, id: pool.id, quote: layout.assets[other], fee, ...spacing, ...native }
}
