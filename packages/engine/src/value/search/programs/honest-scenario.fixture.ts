import { createScenario, type PoolPlan, type Scenario, type TokenPlan } from '../world/scenario.fixture.ts'

/**
 * Kinds of chains that an honest wallet works on: blocks of twelve seconds or two, with the state of older blocks or without it, pools
 * that remember and pools that do not, a feed that lags, one named pool that stands off the market.
 */
export function honestScenario(kind: number, seed: number): Scenario {
  const scenario = createScenario(seed)
  const features = kinds[kind % kinds.length] ?? kinds[0]
  return {
    ...scenario,
    blockSeconds: features.blockSeconds,
    pastBlocks: features.pastBlocks,
    arbitrageBlocks: 1,
    seenBefore: true,
    tokens: scenario.tokens.map((token) => withSources(token, features)),
    pools: scenario.pools.map((pool) => asUsual(pool, features)),
  }
}

type Features = {
  readonly blockSeconds: number
  readonly pastBlocks: number
  readonly cardinality: number
  readonly feeds: boolean
  readonly lagSeconds: number
  readonly dissenting: boolean
}

const kinds: readonly [Features, ...Features[]] = [
  { blockSeconds: 12, pastBlocks: 128, cardinality: 300, feeds: true, lagSeconds: 12, dissenting: false },
  { blockSeconds: 12, pastBlocks: 128, cardinality: 1, feeds: true, lagSeconds: 60, dissenting: true },
  { blockSeconds: 2, pastBlocks: 128, cardinality: 300, feeds: true, lagSeconds: 30, dissenting: false },
  { blockSeconds: 2, pastBlocks: 0, cardinality: 120, feeds: true, lagSeconds: 60, dissenting: true },
  { blockSeconds: 12, pastBlocks: 128, cardinality: 120, feeds: false, lagSeconds: 0, dissenting: false },
]

/** Wrapped ether and bitcoin have feeds where the chain has any; the token of pools alone has none. */
function withSources(plan: TokenPlan, { feeds, lagSeconds }: Features): TokenPlan {
  const { token } = plan
  const named = namedPools[token.symbol] ?? []
  const hasFeed = feeds && (token.symbol === 'WETH' || token.symbol === 'WBTC')
  const feed = hasFeed ? { heartbeatSeconds: 3600, deviationBps: 50, lagSeconds, stops: false } : null
  return { ...plan, sigma: token.usdPegged ? 0 : 0.6, feed, namedPools: named }
}

const namedPools: Readonly<Record<string, readonly string[]>> = {
  WETH: ['usdc-weth-v3-500', 'usdc-weth-v2-3000', 'usdc-weth-v4-500'],
  WBTC: ['weth-wbtc-v3-3000', 'usdc-wbtc-v3-500'],
  TKN: ['tkn-weth-v3-3000', 'tkn-usdc-v2-3000'],
}

function asUsual(pool: PoolPlan, { cardinality, dissenting }: Features): PoolPlan {
  const isDissenting = dissenting && pool.name === 'usdc-weth-v2-3000'
  return {
    ...pool,
    sideUsd: isDissenting ? 150_000 : (usualSidesUsd[pool.name] ?? pool.sideUsd),
    cardinality: pool.version === 'v3' ? cardinality : 1,
    dissent: isDissenting ? 1.03 : 1,
  }
}

const usualSidesUsd: Readonly<Record<string, number>> = {
  'usdc-weth-v3-500': 10_000_000,
  'usdc-weth-v2-3000': 3_000_000,
  'usdc-weth-v4-500': 2_000_000,
  'usdc-weth-v3-10000': 50_000,
  'usdc-wbtc-v3-500': 2_000_000,
  'weth-wbtc-v3-3000': 6_000_000,
  'tkn-weth-v3-3000': 2_000_000,
  'tkn-usdc-v2-3000': 1_000_000,
  'tkn-usdc-v3-10000': 50_000,
}
