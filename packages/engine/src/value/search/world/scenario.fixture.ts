import { createRandom, type Random } from '@svc/lp-math'
import { chance, logUniform, pick } from './draws.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'

/** A chain and its market as data: what a world is built from. The same seed gives the same scenario. */
export type Scenario = {
  readonly seed: number
  readonly blockSeconds: number
  /** Blocks after which the arbitrageur has taken a pool back: 1 or 2. */
  readonly arbitrageBlocks: number
  /** Between trades of others in a pool, on average. */
  readonly tradeEverySeconds: number
  /** How many past blocks the endpoint has the state of. */
  readonly pastBlocks: number
  /** Whether the server has seen prices during the last day. */
  readonly seenBefore: boolean
  /** Whether the policy's list of tokens is strict: then nothing is spent on tokens nobody vouches for. */
  readonly strict: boolean
  readonly tokens: readonly TokenPlan[]
  readonly pools: readonly PoolPlan[]
}

export type TokenPlan = {
  readonly token: SimToken
  readonly usd: number
  /** Volatility of a year. */
  readonly sigma: number
  readonly feed: FeedPlan | null
  /** Names of the pools that a person named for it. */
  readonly namedPools: readonly string[]
}

export type FeedPlan = {
  readonly heartbeatSeconds: number
  readonly deviationBps: number
  /** Between the moment an answer is due and the block that holds it. */
  readonly lagSeconds: number
  /** Says nothing new from the start of the program on. */
  readonly stops: boolean
}

export type PoolPlan = {
  readonly name: string
  readonly version: 'v2' | 'v3' | 'v4'
  readonly token0: SimToken
  readonly token1: SimToken
  readonly fee: number
  readonly tickSpacing: number
  /** Worth of each side. */
  readonly sideUsd: number
  /** Parts of it that stand within 25 % of the price, and from half of it to twice; the rest over the full range. */
  readonly near: number
  readonly wide: number
  /** Records of the oracle; v3 alone. */
  readonly cardinality: number
  /** By how much its price is off the market, where somebody keeps it there. */
  readonly dissent: number
}

export const usdc = token('USDC', 1, 6, true)
export const weth = token('WETH', 2, 18)
export const wbtc = token('WBTC', 3, 8)
/** A token with pools and no feed. */
export const tkn = token('TKN', 0, 18)
/** The attacker's own. */
export const own = { ...token('OWN', 9, 18), own: true }

export const everyToken = [usdc, weth, wbtc, tkn, own] as const

export const spacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10_000: 200 }

export function createScenario(seed: number): Scenario {
  const random = createRandom(seed, 1)
  const pools = marketPools(random)
  const named = (symbol: string, most: number) => {
    const of = pools.filter(({ name, sideUsd }) => name.includes(symbol) && sideUsd > 100_000)
    return of.slice(0, 1 + (random.uint32() % most)).map(({ name }) => name)
  }
  const feed = (likely: number): FeedPlan | null => (chance(random, likely) ? feedPlan(random) : null)
  const plan = (it: SimToken, usd: number, likely: number, most: number): TokenPlan => ({
    token: it,
    usd,
    sigma: pick(random, [0.3, 0.6, 1]),
    feed: feed(likely),
    namedPools: named(it.symbol.toLowerCase(), most),
  })
  return {
    seed,
    blockSeconds: pick(random, [12, 12, 2, 1]),
    arbitrageBlocks: pick(random, [1, 2]),
    tradeEverySeconds: 400,
    pastBlocks: pick(random, [128, 128, 0]),
    seenBefore: chance(random, 0.6),
    strict: chance(random, 0.5),
    tokens: [
      { token: usdc, usd: 1, sigma: 0, feed: null, namedPools: [] },
      plan(weth, 3000, 0.7, 3),
      plan(wbtc, 90_000, 0.4, 2),
      plan(tkn, 2.5, 0, 2),
    ],
    pools,
  }
}

function marketPools(random: Random): readonly PoolPlan[] {
  const deep = () => logUniform(random, 1e6, 2e7)
  const middling = () => logUniform(random, 2e5, 3e6)
  const thin = () => logUniform(random, 4e3, 8e4)
  const sizes = [1, 1, 60, 120, 300] as const
  const pool = (version: PoolPlan['version'], [a, b]: readonly [SimToken, SimToken], fee: number, sideUsd: number) => ({
    name: `${a.symbol}-${b.symbol}-${version}-${fee}`.toLowerCase(),
    version,
    token0: a,
    token1: b,
    fee,
    tickSpacing: spacings[fee] ?? 60,
    sideUsd,
    ...partsOf(random, version),
    cardinality: version === 'v3' ? pick(random, sizes) : 1,
    dissent: 1,
  })
  return [
    pool('v3', [usdc, weth], 500, deep()),
    pool('v2', [usdc, weth], 3000, middling()),
    pool('v4', [usdc, weth], 500, middling()),
    pool('v3', [usdc, weth], 10_000, thin()),
    pool('v3', [usdc, wbtc], 500, middling()),
    pool('v3', [weth, wbtc], 3000, deep()),
    pool('v3', [tkn, weth], 3000, middling()),
    pool('v2', [tkn, usdc], 3000, middling()),
    pool('v3', [tkn, usdc], 10_000, thin()),
  ]
}

/** Little stands over the full range of a real pool: far out, its price is cheap to move. */
function partsOf(random: Random, version: PoolPlan['version']): Pick<PoolPlan, 'near' | 'wide'> {
  if (version === 'v2') return { near: 0, wide: 0 }
  const full = logUniform(random, 1e-4, 0.6)
  const near = (1 - full) * random.uniform()
  return { near, wide: 1 - full - near }
}

function feedPlan(random: Random): FeedPlan {
  return {
    heartbeatSeconds: pick(random, [1200, 3600, 86_400]),
    deviationBps: pick(random, [20, 50, 100]),
    lagSeconds: pick(random, [0, 12, 60]),
    stops: chance(random, 0.1),
  }
}

function token(symbol: string, index: number, decimals: number, usdPegged = false): SimToken {
  return { symbol, address: `0x${String(index).padStart(40, '1')}`, decimals, usdPegged, own: false }
}
