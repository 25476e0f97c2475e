import {
  feePace,
  type FeePace,
  liquidityProfile,
  LpMathError,
  MAX_TICK,
  MIN_TICK,
  paceError,
  priceFromSqrtPrice,
  type RangeMarket,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { HistoryRequest, Pool, PoolBars, Token } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import { yieldToEventLoop } from '@svc/runtime'
import { mostTicks } from '@svc/amm/liquidity'
import { noPrice } from '../read-quote-usd.ts'
import { poolSigma, type PoolSigma, type SigmaSource } from './pool-sigma.ts'
import { readGasPrice, typicalGas } from '../read-gas-price.ts'
import { wholeFee } from '../fees/pool-trade.ts'

/**
 * Everything about a pool that a range is chosen in: price, liquidity at each price, volatility and the fees of the last 30 days, in
 * the caller's order, and money in dollars where it leaves. Throws `INSUFFICIENT_HISTORY` under 7 days of prices, `PRICE_UNAVAILABLE`,
 * `INSUFFICIENT_LIQUIDITY` where a volatility is asked of a pool without liquidity, `RPC_*`.
 */
export async function readRangeMarket(
  ports: Pick<Ports, 'rpc' | 'tokens' | 'prices' | 'liquidity' | 'history'> & Pick<HistoryRequest, 'signal'>,
  place: RangePlace,
  wish: RangeWish,
): Promise<ReadRangeMarket> {
  const { chain, pool, token0, token1 } = place
  const isInverted = token0.address !== pool.token0.address
  const { history, usd0, usd1, gas } = await readMonth(ports, place, wish.nowMs)
  const sorted = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  const price = isInverted ? 1 / sorted : sorted
  const token1Usd = usd1?.usd ?? (usd0 === null ? null : usd0.usd / price)
  const { feesUsd } = history.figures
  const pace = feesUsd === null ? null : feePace(feesUsd, history.bars)
  if (token1Usd === null || !(token1Usd > 0) || pace === null) {
    throw await noPrice(ports.prices, chain, { token0, token1 })
  }
  await yieldToEventLoop()
  const volatility = poolSigma(history, pool, { source: wish.source, price, token1Usd, feesError: paceError(pace) })
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
    fee: wholeFee(pool).feePips / 1e6,
    blockSeconds: Math.max(chain.blockTimeSeconds, 0.001),
    value: wish.amountUsd / token1Usd,
    gasCost: (gasCostUsd ?? 0) / token1Usd,
    tickSpacing: pool.tickSpacing ?? 1,
    decimals0: token0.decimals,
    decimals1: token1.decimals,
  }
  return { market, isInverted, isProfileCut: isCut, volatility, pace, gasCostUsd, history }
}

export type RangePlace = {
  readonly chain: Chain
  readonly pool: Pool
  /** In the caller's order. */
  readonly token0: Token
  readonly token1: Token
}

export type RangeWish = {
  readonly amountUsd: number
  readonly years: number
  readonly source: SigmaSource
  /** Unix milliseconds. */
  readonly nowMs: number
}

export type ReadRangeMarket = {
  readonly market: RangeMarket
  /** Whether the caller's order of the tokens is the other one than the pool's. */
  readonly isInverted: boolean
  /** Whether more ticks are initialised around the price than are read: the liquidity at the edge of those is taken to go on. */
  readonly isProfileCut: boolean
  readonly volatility: PoolSigma
  /** In US dollars. */
  readonly pace: FeePace
  /** To open and to close a position; `null` where it is not known, and taken to be nothing. */
  readonly gasCostUsd: number | null
  readonly history: PoolBars
}

const lookbackDays = 30

/** The last whole hours of the pool, and what its tokens and gas cost now. */
async function readMonth(
  ports: Parameters<typeof readRangeMarket>[0],
  { chain, pool, token0, token1 }: RangePlace,
  nowMs: number,
) {
  const to = Math.floor(nowMs / 3_600_000) * 3_600
  const period = { from: to - lookbackDays * 86_400, to, barSeconds: 3_600 }
  const [history, usd0, usd1, gas] = await Promise.all([
    ports.history.read({ chain, pool, ...period, ...(ports.signal && { signal: ports.signal }) }),
    ports.prices.usd(chain, token0),
    ports.prices.usd(chain, token1),
    // What gas costs is a small part of the answer, and no reason to give none.
    readGasPrice(ports, chain).catch(() => null),
  ])
  await yieldToEventLoop()
  return { history, usd0, usd1, gas }
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
