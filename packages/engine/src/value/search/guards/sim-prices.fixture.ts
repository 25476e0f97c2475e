import type { PriceBand, PriceDoubt } from '@svc/amm'
import { type OutsideMarket, priceOf } from '../world/outside-market.fixture.ts'
import { rawPriceOf } from '../world/sim-pool.fixture.ts'
import type { SimToken } from '../world/sim-token.fixture.ts'
import type { WorldView } from '../world/world-view.fixture.ts'

/** Where a guard takes its prices from. */
export type SimPrices = (view: WorldView, tokens: readonly SimToken[]) => ReadonlyMap<SimToken, SimPrice>

export type SimPrice = {
  /** `null` where no named source says anything; then `doubt` says why. */
  readonly band: PriceBand | null
  readonly doubt: PriceDoubt | null
}

/** Believes whatever the first pool that is named for a token says at the moment. */
export const spotPrices: SimPrices = (view, tokens) => {
  const usd = (token: SimToken): number => {
    if (token.usdPegged) return 1
    const [name] = view.tokens.find((row) => row.token === token)?.namedPools ?? []
    const pool = view.pools.get(name ?? '')
    if (pool === undefined) return 0
    const isToken0 = pool.token0 === token
    const raw = rawPriceOf(pool) * 10 ** (pool.token0.decimals - pool.token1.decimals)
    return isToken0 ? raw * usd(pool.token1) : usd(pool.token0) / raw
  }
  return new Map(tokens.map((token) => [token, known(usd(token))]))
}

/** Knows the prices outside. No server does: what is lost beside it is what the rules about value themselves let through. */
export function outsidePrices(market: OutsideMarket): SimPrices {
  return (_view, tokens) => new Map(tokens.map((token) => [token, known(priceOf(market, token))]))
}

function known(usd: number): SimPrice {
  if (!(usd > 0)) return { band: null, doubt: 'unnamed' }
  const e18 = BigInt(Math.round(usd * 1e12)) * 10n ** 6n
  const edges = { lowE18: e18, midE18: e18, highE18: e18 }
  return { band: { ...edges, basis: 'feed', isAnchored: true, depthUsdMicros: 10n ** 15n, witnesses: [] }, doubt: null }
}
