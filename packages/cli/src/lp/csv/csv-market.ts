import {
  type Bars,
  feePace,
  feesAhead,
  type FeePace,
  type LogForecast,
  impliedSigma,
  liquidityProfile,
  paceError,
  type RangeDoubts,
  type RangeMarket,
  resampleBars,
  timesForecast,
  worthOfBars,
} from '@svc/lp-math'
import type { CsvPool } from './csv-pool.ts'
import { UsageError } from '../../usage-error.ts'
import { pastSigma, type PastSigma } from '../past-sigma.ts'

/**
 * The market that the bars of a file end in: their last price and volatility, their fees a day, and for want of the pool's ticks one
 * liquidity at every price, the mean that their fees were shared by. Money counts in quote tokens. Throws
 * `LpMathError`, and `UsageError` where a volatility shall follow from trade and there was none.
 */
export function csvMarket(pool: CsvPool, options: CsvMarketOptions): CsvMarket {
  const { bars, decimals0, decimals1, quoteUsd } = pool
  const { fees, volumes } = csvTrade(pool)
  const end: EndOfFile = { ...endOf(pool), pace: paceOf(fees, bars) }
  const { price, profile, pace } = end
  const { horizonDays } = options
  const past = pastSigma(bars, pool.feePips, horizonDays)
  const found = options.volatilitySource === 'historical' ? past : impliedBy(volumes, pool, { ...end, past })
  const [own0, own1] = pool.baseToken === 0 ? [decimals0, decimals1] : [decimals1, decimals0]
  return {
    doubts: { pace, sigmaError: found.standardError },
    fees: feesAhead(fees, { barSeconds: bars.barSeconds, horizonDays }),
    volatility: { ...found, source: options.volatilitySource },
    market: {
      model: { price, sigma: Math.min(found.sigma, 10), drift: 0, years: horizonDays / 365 },
      profile,
      feesPerDay: pace.perDay,
      feePips: pool.feePips,
      blockSeconds: options.blockSeconds,
      value: options.amountUsd / quoteUsd,
      gasCost: (2 * pool.gasUsd) / quoteUsd,
      tickSpacing: pool.tickSpacing,
      decimals0: own0,
      decimals1: own1,
    },
  }
}

const noTrade =
  '--volatility: nobody traded in this file, so that it implies no volatility. Accepted: historical, which past prices tell'

export type CsvMarketOptions = {
  readonly amountUsd: number
  readonly horizonDays: number
  readonly blockSeconds: number
  readonly volatilitySource: 'historical' | 'implied'
}

export type CsvMarket = {
  /** In the order of the base token, its price in the quote. */
  readonly market: RangeMarket
  readonly doubts: RangeDoubts
  /** Of the pool a day over the horizon, in quote tokens; `null` where it earned none. */
  readonly fees: LogForecast | null
  readonly volatility: PastSigma & { readonly source: 'historical' | 'implied' }
}

type EndOfFile = Pick<RangeMarket, 'profile'> & { readonly price: number; readonly pace: FeePace }

/** The price that the bars end at, and their liquidity at every price. */
function endOf({ bars, baseToken, decimals0, decimals1 }: CsvPool): Omit<EndOfFile, 'pace'> {
  const tick = bars.closeTick.at(-1) ?? 0
  const raw = 1.0001 ** tick * 10 ** (decimals0 - decimals1)
  const liquidity = resampleBars(bars, bars.barSeconds * bars.startsAt.length).liquidity[0] ?? 0
  const profile = liquidityProfile({
    ticks: [],
    tick: Math.floor(tick),
    liquidity: BigInt(Math.round(liquidity)),
    decimals0,
    decimals1,
    inverted: baseToken === 1,
  })
  return { price: baseToken === 0 ? raw : 1 / raw, profile }
}

function paceOf(column: Float64Array, bars: Bars): FeePace {
  const found = feePace(column, bars)
  if (found === null) throw new TypeError('what a bar traded is a number')
  return found
}

function impliedBy(
  volumes: Float64Array,
  { bars, feePips }: CsvPool,
  { price, profile, pace, past }: EndOfFile & { readonly past: PastSigma },
): PastSigma {
  const tickTvlUsd = ((profile.liquidity[0] ?? 0) * Math.sqrt(price) * feePips) / 1e6
  const dailyVolumeUsd = paceOf(volumes, bars).perDay
  if (dailyVolumeUsd === 0) throw new UsageError(noTrade)
  const sigma = impliedSigma({ feePips, dailyVolumeUsd, tickTvlUsd })
  const ahead = past.ahead && timesForecast(past.ahead, sigma / past.sigma)
  return { sigma, standardError: (sigma * paceError(pace)) / 2, ahead, barSeconds: bars.barSeconds }
}

/** What a pool traded and paid its liquidity providers in each bar, in whole tokens of the quote. */
export function csvTrade(pool: CsvPool): CsvTrade {
  const { bars, baseToken, feePips, protocolFeeShare } = pool
  const { amount0In: amount0, amount1In: amount1, liquidity, feeGrowth } = bars
  const inQuote = (amounts: { readonly amount0: Float64Array; readonly amount1: Float64Array }) =>
    worthOfBars(bars, amounts, baseToken === 0 ? 1 : 0).map((worth) => worth / 10 ** quoteDecimals(pool))
  const volumes = inQuote({ amount0, amount1 })
  if (feeGrowth === null)
    return { volumes, fees: volumes.map((volume) => (volume * feePips * (1 - protocolFeeShare)) / 1e6) }
  const paid = (growth: Float64Array) => growth.map((perUnit, bar) => perUnit * (liquidity[bar] ?? 0))
  return { volumes, fees: inQuote({ amount0: paid(feeGrowth.token0), amount1: paid(feeGrowth.token1) }) }
}

type CsvTrade = { readonly volumes: Float64Array; readonly fees: Float64Array }

function quoteDecimals({ baseToken, decimals0, decimals1 }: CsvPool): number {
  return baseToken === 0 ? decimals1 : decimals0
}
