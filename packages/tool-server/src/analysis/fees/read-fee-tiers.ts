import {
  ewmaSigma,
  ewmaStandardError,
  liquidityProfile,
  type LogForecast,
  LpMathError,
  MAX_TICK,
  priceFromSqrtPrice,
  realisedSigma,
  volatilityAhead,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Pool, PoolBars, TickRow, Token } from '@svc/amm'
import type { Ports, WorkCaller } from '../../ports.ts'
import { leadOver, leastDays, type ScoredTier } from './choose-fee-tier.ts'
import { type TierMarket } from './score-fee-tier.ts'
import { dailyTrade, type DailyTrade, leastMove, wholeFee } from './pool-trade.ts'
import { knownCloses } from '../range/pool-sigma.ts'
import { readPoolActivity } from './read-pool-activity.ts'

/**
 * The fee tiers of a pair on the evidence of their last 30 days: one pool each, all measured against one volatility, that of the pool
 * which traded most. Money counts in the pegged token of the pair, else in its second, so that the order of the tokens changes nothing.
 *
 * @throws ToolError `RPC_*`
 */
export async function readFeeTiers(ports: TierPorts, request: TierRequest): Promise<FeeTiers> {
  const { chain, pools, nowMs } = request
  const to = Math.floor(nowMs / 3_600_000) * 3_600
  const period = { from: to - lookbackDays * 86_400, to, barSeconds: 3_600 }
  const readTier = async (pool: Pool): Promise<ReadTier> => {
    const [history, { tvlUsd, isContradictory }, ticks] = await Promise.all([
      ports.history.read({ chain, pool, ...period, signal: ports.signal }),
      readPoolActivity(ports, chain, pool, nowMs, { tradingDays: 0 }),
      readTicks(ports, chain, pool, likelyReach),
    ])
    return { ...pastOf(pool, history, request.quote), tvlUsd, isContradictory, ticks }
  }
  const [price, ...read] = await Promise.all([ports.prices.usd(chain, request.quote), ...pools.map(readTier)])
  const quoteUsd = price?.usd ?? null
  const busiest = busiestOf(read)
  const volatility = volatilityOf(busiest)
  const market: TierMarket = {
    price: priceOf(busiest),
    sigma: Math.min(volatility?.ewma ?? 0, 10),
    sigmaError: volatility?.standardError ?? 0,
    sigmaAhead: volatility?.ahead ?? null,
    blockSeconds: Math.max(chain.blockTimeSeconds, 0.001),
    value: quoteUsd === null ? 1e-9 : notionalUsd / quoteUsd,
  }
  const tiers = await Promise.all(read.map((tier) => scored(ports, chain, tier, { market, quoteUsd })))
  return { tiers, volatility, busiest: busiest.pool, isPriced: quoteUsd !== null }
}

/** The pools of a pair that are compared: the deepest v3 or v4 pool of each fee, lowest fee first; `all` are deepest first. */
export function comparedPools(all: readonly Pool[]): readonly Pool[] {
  const plain = all.filter(({ version, hooks }) => version !== 'v2' && hooks === null)
  const byFee = new Map(plain.toReversed().map((pool) => [pool.fee, pool]))
  return [...byFee.values()].toSorted((a, b) => a.fee - b.fee).slice(0, mostTiers)
}

const mostTiers = 6

/**
 * Of pools of a pair whose past is read already, the one that pays most, where its net yield is above that of `own` by more than the errors
 * of both explain; else `null`. No ticks are read for it: the liquidity at its price stands for that of all prices in each.
 */
export async function clearlyBetterTier(
  ports: Pick<Ports, 'workers'> & WorkCaller,
  own: TradedPool,
  others: readonly TradedPool[],
  { quote, market }: { readonly quote: Token; readonly market: TierMarket },
): Promise<Pool | null> {
  const scoreOf = async ({ pool, history }: TradedPool) => {
    const past = pastOf(pool, history, quote)
    if (pool.liquidity === 0n || past.trade.daysKnown < leastDays) return []
    const profile = liquidityProfile({ ...profileFacts(past), ticks: [] })
    const score = await ports.workers.run(
      'scoreFeeTier',
      { tier: { ...tierFacts(past), profile }, market },
      { signal: ports.signal },
    )
    return [{ score, pool }]
  }
  const [[first], rivals] = await Promise.all([scoreOf(own), Promise.all(others.map(scoreOf))])
  const [better] = rivals.flat().toSorted((a, b) => b.score.netApr - a.score.netApr)
  if (first === undefined || better === undefined) return null
  return leadOver(better, first).isClear ? better.pool : null
}

export type TradedPool = { readonly pool: Pool; readonly history: PoolBars }

/** The token pegged to the dollar where there is one, else the second of the pool's own order, which no caller changes. */
export function quoteOf({ token0, token1 }: Pool): Token {
  return token0.usdPegged && !token1.usdPegged ? token0 : token1
}

/** What a pool traded, counted in `quote`. */
export function pastOf(pool: Pool, history: PoolBars, quote: Token): PoolPast {
  const isQuote1 = pool.token1.address === quote.address
  return { pool, history, isQuote1, trade: tradeOf(history, pool, isQuote1 ? 1 : 0) }
}

export type PoolPast = {
  readonly pool: Pool
  readonly history: PoolBars
  /** Whether money counts in its second token. */
  readonly isQuote1: boolean
  readonly trade: DailyTrade
}

/** The one whose closes are the volatility of the pair: that which traded most, as the price of others hardly moves without trades. */
export function busiestOf<Past extends PoolPast>(pasts: readonly Past[]): Past {
  return pasts.reduce((a, b) => (sum(b.trade.volumes) > sum(a.trade.volumes) ? b : a))
}

/** What every tier is asked for, in US dollars. */
export const notionalUsd = 10_000

export type TierPorts = Pick<Ports, 'rpc' | 'prices' | 'liquidity' | 'history' | 'workers'> & WorkCaller

export type TierRequest = {
  readonly chain: Chain
  /** Of `comparedPools`, at least one. */
  readonly pools: readonly Pool[]
  /** In which money counts. */
  readonly quote: Token
  /** Unix milliseconds. */
  readonly nowMs: number
}

export type FeeTiers = {
  readonly tiers: readonly ReadFeeTier[]
  /** Annual, as fractions; `null` unless two bars were traded in. */
  readonly volatility: TierVolatility | null
  /** Whose prices the volatility is of. */
  readonly busiest: Pool
  readonly isPriced: boolean
}

export type TierVolatility = {
  readonly ewma: number
  /** One of it. */
  readonly standardError: number
  /** Over 30 days; `null` where the price did not move. */
  readonly ahead: LogForecast | null
  readonly realised: number | null
  readonly hours: number
}

export type ReadFeeTier = ScoredTier & {
  readonly pool: Pool
  /** Whether its ticks cannot be with its liquidity. */
  readonly isContradictory: boolean
  readonly history: PoolBars
  /** Over the last 7 days, in whole tokens of the quote. */
  readonly weekVolume: number
  /** Fees of the last days over the value held now, percent a year, nothing smoothed. */
  readonly feeApy7d: number | null
  readonly feeApy30d: number | null
}

type ReadTier = PoolPast & {
  readonly tvlUsd: number | null
  readonly isContradictory: boolean
  /** As far as `likelyReach`. */
  readonly ticks: readonly TickRow[]
}

const lookbackDays = 30

function tradeOf({ bars, completeness }: PoolBars, pool: Pool, countedToken: 0 | 1): DailyTrade {
  const { decimals } = countedToken === 0 ? pool.token0 : pool.token1
  return dailyTrade(bars, { ...wholeFee(pool), countedToken, decimals, gaps: completeness.gaps })
}

async function scored(
  ports: TierPorts,
  chain: Chain,
  tier: ReadTier,
  { market, quoteUsd }: { readonly market: TierMarket; readonly quoteUsd: number | null },
): Promise<ReadFeeTier> {
  const { pool, history, trade, tvlUsd } = tier
  const facts = { ...tierFacts(tier), profile: await readProfile(ports, chain, tier, market.sigma) }
  const score = await ports.workers.run('scoreFeeTier', { tier: facts, market }, { signal: ports.signal })
  const apyOf = (days: number) => {
    if (trade.daysKnown < days || tvlUsd === null || !(tvlUsd > 0) || quoteUsd === null) return null
    return ((sum(trade.fees.slice(-days)) * quoteUsd) / tvlUsd) * (365 / days) * 100
  }
  return {
    feeTier: pool.fee,
    tvlUsd,
    daysKnown: trade.daysKnown,
    score,
    pool,
    isContradictory: tier.isContradictory,
    history,
    weekVolume: sum(trade.volumes.slice(-7)),
    feeApy7d: apyOf(7),
    feeApy30d: apyOf(Math.min(lookbackDays, Math.max(7, trade.daysKnown))),
  }
}

function tierFacts({ pool, trade, isQuote1 }: PoolPast) {
  const [base, quote] = isQuote1 ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const { feePips } = wholeFee(pool)
  return { trade, feePips, tickSpacing: pool.tickSpacing ?? 1, decimals0: base.decimals, decimals1: quote.decimals }
}

function profileFacts({ pool, isQuote1 }: PoolPast) {
  const [decimals0, decimals1] = [pool.token0.decimals, pool.token1.decimals]
  return { tick: pool.tick, liquidity: pool.liquidity, decimals0, decimals1, inverted: !isQuote1 }
}

/** Around the price, as far as four deviations of a month; the liquidity at the edge is taken to go on. */
async function readProfile(ports: Pick<Ports, 'liquidity'>, chain: Chain, tier: ReadTier, sigma: number) {
  const { pool } = tier
  const reach = Math.ceil(Math.min(Math.max(4 * sigma * Math.sqrt(30 / 365), 0.1), 2) / Math.log(1.0001))
  const facts = profileFacts(tier)
  const read = reach <= likelyReach ? tier.ticks : await readTicks(ports, chain, pool, reach)
  const ticks = read.filter(({ tick }) => Math.abs(tick - pool.tick) <= reach)
  try {
    return liquidityProfile({ ...facts, ticks })
  } catch (error) {
    // Ticks of another block than the pool's liquidity: then what is active now stands for all prices.
    if (error instanceof LpMathError) return liquidityProfile({ ...facts, ticks: [] })
    throw error
  }
}

/** Of ticks, each side: what four deviations of a month are at 60 % a year, so that the ticks are read beside the past that tells it. */
const likelyReach = 7_000

function readTicks(ports: Pick<Ports, 'liquidity'>, chain: Chain, pool: Pool, reach: number) {
  return ports.liquidity.ticks(
    chain,
    pool,
    Math.max(-MAX_TICK, pool.tick - reach),
    Math.min(MAX_TICK, pool.tick + reach),
  )
}

function priceOf({ pool, isQuote1 }: ReadTier): number {
  const price = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  return isQuote1 ? price : 1 / price
}

function volatilityOf({ history, pool }: ReadTier): TierVolatility | null {
  const { closes, traded } = knownCloses(history)
  if (!traded.includes(true, 1)) return null
  const { barSeconds } = history.bars
  return {
    ewma: ewmaSigma(closes, { barSeconds }),
    standardError: ewmaStandardError(closes, { barSeconds, traded, leastMove: leastMove(pool) }),
    ahead: volatilityAhead(closes, { barSeconds, traded, horizonDays: lookbackDays }),
    realised: closes.length < 3 ? null : realisedSigma(closes, { barSeconds }),
    hours: closes.length,
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
