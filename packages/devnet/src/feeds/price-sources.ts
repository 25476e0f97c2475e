import type { ChainToken } from '@svc/wallet/core'
import type { Layout, PlacedPool } from '../seed/layout.ts'
import type { Asset, TokenSymbol } from '../seed/token-specs.ts'
import { feedDecimals, feedHeartbeatSeconds, feedSpecs, type FeedSymbol } from './feed-specs.ts'

/** What the price of a listed token is taken from on the local chain; `null` for tokens that nobody named a source for. */
export function priceSourcesOf(layout: Layout, symbol: TokenSymbol): PriceSources | null {
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
