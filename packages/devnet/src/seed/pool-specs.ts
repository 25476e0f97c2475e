import type { Asset } from './token-specs.ts'

/** The pools of the local chain: what they hold, who keeps them in line with the market, how much is traded in them. */
export const poolSpecs: readonly PoolSpec[] = [
  volatile('v3', 'WETH', 'USDC', 100, { tvlUsd: 1_500_000, bandBps: 1, perHour: 0.3, meanUsd: 60_000 }),
  volatile('v3', 'WETH', 'USDC', 500, { tvlUsd: 14_000_000, bandBps: 5, perHour: 1, meanUsd: 200_000 }),
  volatile('v3', 'WETH', 'USDC', 3_000, { tvlUsd: 9_000_000, bandBps: 30, perHour: 0.5, meanUsd: 50_000 }),
  volatile('v3', 'WETH', 'USDC', 10_000, { tvlUsd: 350_000, bandBps: 60, perHour: 0.1, meanUsd: 600 }),
  volatile('v2', 'WETH', 'USDC', 3_000, { tvlUsd: 4_000_000, bandBps: 30, perHour: 0.4, meanUsd: 25_000 }),
  volatile('v4', 'WETH', 'USDC', 500, { tvlUsd: 3_000_000, bandBps: 5, perHour: 0.3, meanUsd: 90_000 }),
  volatile('v4', 'ETH', 'USDC', 500, { tvlUsd: 6_000_000, bandBps: 5, perHour: 0.5, meanUsd: 130_000 }),
  volatile('v3', 'DAI', 'WETH', 3_000, { tvlUsd: 1_200_000, bandBps: 30, perHour: 0.15, meanUsd: 15_000 }),
  volatile('v3', 'WBTC', 'WETH', 3_000, { tvlUsd: 5_000_000, bandBps: 30, perHour: 0.3, meanUsd: 40_000 }),
  volatile('v3', 'WBTC', 'WETH', 500, { tvlUsd: 400_000, bandBps: 5, perHour: 0.1, meanUsd: 15_000 }),
  stable('v3', 'USDC', 'USDT', { tvlUsd: 8_000_000, perHour: 0.6, meanUsd: 500_000 }),
  stable('v3', 'DAI', 'USDC', { tvlUsd: 4_000_000, perHour: 0.3, meanUsd: 300_000 }),
  stable('v4', 'USDC', 'USDT', { tvlUsd: 2_000_000, perHour: 0.15, meanUsd: 150_000 }),
  oddity('v2', 'FOT', 'WETH', 3_000, { tvlUsd: 60_000, perHour: 0.05, meanUsd: 300 }),
  oddity('v3', 'HOSTILE', 'USDC', 10_000, { tvlUsd: 20_000, perHour: 0.03, meanUsd: 150 }),
]

/** The pool of the TWAMM hook. Arbitrage looks after it; what is traded in it are its orders. */
export const twammPoolSpec: PoolSpec = volatile('v4', 'WETH', 'USDC', 3_000, {
  tvlUsd: 2_500_000,
  bandBps: 30,
  perHour: 0,
  meanUsd: 0,
})

export type PoolSpec = {
  readonly version: 'v2' | 'v3' | 'v4'
  /** The label reads base/quote; the pool sorts them by address. */
  readonly base: Asset
  readonly quote: Asset
  /** Hundredths of a basis point. */
  readonly fee: number
  /** `null` for v2. */
  readonly tickSpacing: number | null
  readonly tvlUsd: number
  /** How the liquidity is spread; a width is the half width of the range in percent of the price, `null` the full range. */
  readonly ranges: readonly { readonly widthPct: number | null; readonly share: number }[]
  /** Arbitrage keeps the price within this of the market; `null` for tokens without a market price. */
  readonly bandBps: number | null
  /** Trades by people: how many an hour on average, and of what mean size. */
  readonly perHour: number
  readonly meanUsd: number
}

type Shape = {
  readonly tvlUsd: number
  readonly perHour: number
  readonly meanUsd: number
  readonly bandBps?: number
}

function volatile(version: PoolSpec['version'], base: Asset, quote: Asset, fee: number, shape: Shape): PoolSpec {
  return spec(version, base, quote, fee, shape, [
    { widthPct: null, share: 0.2 },
    { widthPct: 60, share: 0.35 },
    { widthPct: 30, share: 0.3 },
    { widthPct: 12, share: 0.15 },
  ])
}

function stable(version: PoolSpec['version'], base: Asset, quote: Asset, shape: Shape): PoolSpec {
  return spec(version, base, quote, 100, { bandBps: 1, ...shape }, [
    { widthPct: 2, share: 0.3 },
    { widthPct: 0.5, share: 0.5 },
    { widthPct: 0.1, share: 0.2 },
  ])
}

function oddity(version: PoolSpec['version'], base: Asset, quote: Asset, fee: number, shape: Shape): PoolSpec {
  return spec(version, base, quote, fee, shape, [{ widthPct: null, share: 1 }])
}

function spec(
  version: PoolSpec['version'],
  base: Asset,
  quote: Asset,
  fee: number,
  shape: Shape,
  ranges: PoolSpec['ranges'],
): PoolSpec {
  const tickSpacing = version === 'v2' ? null : spacingOf(fee)
  const { tvlUsd, perHour, meanUsd, bandBps = null } = shape
  return { version, base, quote, fee, tickSpacing, tvlUsd, perHour, meanUsd, ranges, bandBps }
}

/** The spacings the v3 factory ties to its fees, 1, 10, 60 and 200; v4 pools here follow the same habit. */
function spacingOf(fee: number): number {
  return fee === 100 ? 1 : fee / 50
}
