import {
  blendVolatility,
  type BlendedVolatility,
  type EpisodeVolatility,
  feePace,
  feesAhead,
  type FeePace,
  liquidityProfile,
  type LogForecast,
  LpMathError,
  MAX_TICK,
  MIN_TICK,
  paceError,
  priceFromSqrtPrice,
  type RangeMarket,
  timesForecast,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type HistoryRequest, type Pool, type PoolBars, type Token, ToolError } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import { yieldToEventLoop } from '@svc/runtime'
import { mostTicks } from '@svc/amm/liquidity'
import { noPrice, readGasPrice, typicalGas } from '../value-usd.ts'
import { nothingKnown, poolSigma, type PoolSigma, type SigmaSource } from './pool-sigma.ts'
import { wholeFee } from '../fees/pool-trade.ts'
import { busiestOf, comparedPools, pastOf, quoteOf, type TradedPool } from '../fees/read-fee-tiers.ts'

/**
 * Everything about a pool that a range is chosen in: price, liquidity at each price, the volatility of its pair and the fees of the last
 * 30 days, in the caller's order, and money in dollars where it leaves. Throws `INSUFFICIENT_HISTORY` under 7 days of prices, also where an endpoint refuses what tells them, `PRICE_UNAVAILABLE`,
 * `INSUFFICIENT_LIQUIDITY` where a volatility is asked of a pool without liquidity, `RPC_*`.
 */
export async function readRangeMarket(
  ports: Pick<Ports, 'rpc' | 'tokens' | 'prices' | 'liquidity' | 'history'> & Pick<HistoryRequest, 'signal'>,
  place: RangePlace,
  wish: RangeWish,
): Promise<ReadRangeMarket> {
  const { chain, pool, token0, token1 } = place
  const isInverted = token0.address !== pool.token0.address
  const { history, usd0, usd1, gas, others } = await readMonth(ports, place, wish)
  const sorted = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  const price = isInverted ? 1 / sorted : sorted
  const token1Usd = usd1?.usd ?? (usd0 === null ? null : usd0.usd / price)
  const { feesUsd } = history.figures
  const pace = feesUsd === null ? null : feePace(feesUsd, history.bars)
  const horizonDays = wish.years * 365
  if (token1Usd === null || !(token1Usd > 0) || pace === null) {
    throw await noPrice(ports.prices, chain, { token0, token1 })
  }
  await yieldToEventLoop()
  const busiest = busiestOfPair({ pool, history }, others)
  const feesError = paceError(pace)
  const ofMarket = poolSigma(history, pool, { source: wish.source, price, token1Usd, feesError, busiest, horizonDays })
  const blended = blendVolatility(ofMarket, wish.remembered ?? [])
  const volatility = {
    ...ofMarket,
    sigma: blended.sigma,
    standardError: blended.standardError,
    ahead: ofMarket.ahead && timesForecast(ofMarket.ahead, blended.sigma / ofMarket.sigma),
  }
  await yieldToEventLoop()
  const { profile, isCut } = await readProfile(
    ports,
    { ...place, isInverted },
    volatility.sigma * Math.sqrt(wish.years),
  )
  const gasCostUsd = gas?.costUsd(typicalGas.mint + typicalGas.decrease) ?? null
  const market: RangeMarket = {
    model: { price, sigma: volatility.sigma, drift: 0, years: wish.years },
    profile,
    feesPerDay: pace.perDay / token1Usd,
    feePips: wholeFee(pool).feePips,
    blockSeconds: Math.max(chain.blockTimeSeconds, 0.001),
    value: wish.amountUsd / token1Usd,
    gasCost: (gasCostUsd ?? 0) / token1Usd,
    tickSpacing: pool.tickSpacing ?? 1,
    decimals0: token0.decimals,
    decimals1: token1.decimals,
  }
  const fees =
    feesUsd &&
    feesAhead(
      feesUsd.map((usd) => usd / token1Usd),
      { ...history.bars, horizonDays },
    )
  const unread = others.pools.filter((one) => !others.pasts.some((past) => past.pool === one))
  return {
    market,
    isInverted,
    isProfileCut: isCut,
    volatility,
    calibration: { ...blended, marketSigma: ofMarket.sigma },
    pace,
    fees,
    gasCostUsd,
    history,
    others: others.pasts,
    unread,
  }
}

export type RangePlace = {
  readonly chain: Chain
  readonly pool: Pool
  /** In the caller's order. */
  readonly token0: Token
  readonly token1: Token
  /** All v3 and v4 pools of the pair, deepest first: the busiest of them tells the volatility. */
  readonly pairPools: () => Promise<readonly Pool[]>
}

export type RangeWish = {
  readonly amountUsd: number
  readonly years: number
  readonly source: SigmaSource
  /** Unix milliseconds. */
  readonly nowMs: number
  /** What own episodes met; none unless given. */
  readonly remembered?: readonly EpisodeVolatility[]
}

export type ReadRangeMarket = {
  readonly market: RangeMarket
  /** Whether the caller's order of the tokens is the other one than the pool's. */
  readonly isInverted: boolean
  /** Whether more ticks are initialised around the price than are read: the liquidity at the edge of those is taken to go on. */
  readonly isProfileCut: boolean
  /** With what is remembered blended in. */
  readonly volatility: PoolSigma
  readonly calibration: BlendedVolatility & { readonly marketSigma: number }
  /** In US dollars. */
  readonly pace: FeePace
  /** Of the pool a day over the horizon, in token1; `null` where it earned none. */
  readonly fees: LogForecast | null
  /** To open and to close a position; `null` where it is not known, and taken to be nothing. */
  readonly gasCostUsd: number | null
  readonly history: PoolBars
  /** The others of the pair that are compared, and what they traded in the same time. */
  readonly others: readonly TradedPool[]
  /** Pools of the pair whose past could not be read, so that nobody knows whether one of them traded most. */
  readonly unread: readonly Pool[]
}

const lookbackDays = 30

/** The last whole hours of the pool and of the others of its pair, and what its tokens and gas cost now. */
async function readMonth(
  ports: Parameters<typeof readRangeMarket>[0],
  { chain, pool, token0, token1, pairPools }: RangePlace,
  { nowMs, source }: RangeWish,
) {
  const to = Math.floor(nowMs / 3_600_000) * 3_600
  const period = { from: to - lookbackDays * 86_400, to, barSeconds: 3_600 }
  const past = (of: Pool) =>
    ports.history.read({ chain, pool: of, ...period, ...(ports.signal && { signal: ports.signal }) })
  const [history, usd0, usd1, gas, others] = await Promise.all([
    past(pool).catch(nothingKnown),
    ports.prices.usd(chain, token0),
    ports.prices.usd(chain, token1),
    // What gas costs is a small part of the answer, and no reason to give none.
    readGasPrice(ports, chain).catch(() => null),
    source === 'implied' ? noOthers : readOthers(pool, pairPools, past),
  ])
  await yieldToEventLoop()
  return { history, usd0, usd1, gas, others }
}

/** The pasts of the pools that `recommend_fee_tier` compares, but for that of `own`. One that cannot be read ends no choice of a range. */
async function readOthers(
  own: Pool,
  pairPools: RangePlace['pairPools'],
  read: (of: Pool) => Promise<PoolBars>,
): Promise<Others> {
  const compared = comparedPools(await pairPools())
  const pools = compared.filter(({ id }) => id !== own.id)
  const pasts = pools.map(async (pool) => {
    try {
      return [{ pool, history: await read(pool) }]
    } catch (error) {
      if (error instanceof ToolError) return []
      throw error
    }
  })
  const comparesOwn = compared.length === 0 || pools.length < compared.length
  return { pools, pasts: (await Promise.all(pasts)).flat(), comparesOwn }
}

type Others = {
  readonly pools: readonly Pool[]
  readonly pasts: readonly TradedPool[]
  /** Whether the pool itself counts among those that are compared: one with hooks does not, if there are others. */
  readonly comparesOwn: boolean
}

const noOthers: Others = { pools: [], pasts: [], comparesOwn: true }

/** By what came in of the token that money counts in. */
function busiestOfPair(own: TradedPool, { pasts, comparesOwn }: Others): TradedPool {
  const compared = comparesOwn || pasts.length === 0 ? [own, ...pasts] : pasts
  const quote = quoteOf(own.pool)
  return busiestOf(compared.map(({ pool, history }) => pastOf(pool, history, quote)))
}

/** Around the price, as far as five deviations of its logarithm at the horizon, at least 10 % and at most a factor of 100. */
async function readProfile(
  ports: Pick<Ports, 'liquidity'>,
  place: RangePlace & { readonly isInverted: boolean },
  deviation: number,
) {
  const { chain, pool, isInverted } = place
  const reach = Math.ceil(Math.min(Math.max(5 * deviation, 0.1), Math.log(100)) / Math.log(1.0001))
  const from = Math.max(MIN_TICK, pool.tick - reach)
  const ticks = await ports.liquidity.ticks(chain, pool, from, Math.min(MAX_TICK, pool.tick + reach))
  const facts = {
    tick: pool.tick,
    liquidity: pool.liquidity,
    decimals0: pool.token0.decimals,
    decimals1: pool.token1.decimals,
    inverted: isInverted,
  }
  try {
    return { profile: liquidityProfile({ ...facts, ticks }), isCut: ticks.length >= mostTicks }
  } catch (error) {
    // Ticks of another block than the pool's liquidity: then what is active now stands for all prices.
    if (error instanceof LpMathError) return { profile: liquidityProfile({ ...facts, ticks: [] }), isCut: false }
    throw error
  }
}
