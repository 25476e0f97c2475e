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
  ewmaSigma,
  ewmaStandardError,
  isTraded,
  volatilityAhead,
} from '@svc/lp-math'
import type { CsvPool, CsvTerms } from './csv-pool.ts'
import { UsageError } from '../../usage-error.ts'
import { figure } from '@svc/tool-server/analysis'

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

/**
 * The annual volatility of bars by EWMA over hourly closes, or over their own where they are no part of an hour, and its standard
 * error. `feePips` is the pool's fee, in millionths. What was traded once or never is as unsure as one change of
 * the price makes it: a file is known to be all of its pool's trade. Throws `LpMathError` `SERIES_TOO_SHORT`.
 */
export function pastSigma(bars: Bars, feePips: number, horizonDays: number): PastSigma {
  const isFine = 3600 % bars.barSeconds === 0 && bars.startsAt.length * bars.barSeconds >= 7200
  const taken = isFine ? resampleBars(bars, 3600) : bars
  const { closeTick, barSeconds } = taken
  const first = closeTick[0] ?? 0
  const closes = closeTick.map((tick) => 1.0001 ** (tick - first))
  const traded = Array.from(closeTick, (tick, bar) => isTraded(taken, bar) || tick !== closeTick[bar - 1])
  if (!traded.includes(true, 1)) traded[traded.length - 1] = true
  const leastMove = Math.max(feePips / 1e6, 1e-4)
  const standardError = ewmaStandardError(closes, { barSeconds, traded, leastMove })
  const ahead = volatilityAhead(closes, { barSeconds, traded, horizonDays })
  return { sigma: ewmaSigma(closes, { barSeconds }), standardError, ahead, barSeconds }
}

type PastSigma = {
  readonly sigma: number
  readonly standardError: number
  /** What the closes of the horizon are to show; `null` where the price did not move. */
  readonly ahead: LogForecast | null
  /** Length of the bars whose closes were taken. */
  readonly barSeconds: number
}

/** What a file held, and what was fixed in it. */
export function describeBars({ file, bars, filledBars, widenedBars }: CsvPool): DescribedBars {
  const count = bars.startsAt.length
  const days = (count * bars.barSeconds) / 86_400
  return {
    file,
    barSeconds: bars.barSeconds,
    bars: count,
    filledBars,
    widenedBars,
    days: figure(days),
    notes: [
      ...(filledBars === 0
        ? []
        : [`${filledBars} missing ${filledBars === 1 ? 'bar was' : 'bars were'} taken to be without a trade.`]),
      ...(widenedBars === 0
        ? []
        : [`${widenedBars} ${widenedBars === 1 ? 'bar' : 'bars'} had an open or a close outside their low and high.`]),
      ...(days < 14
        ? [`${days.toFixed(1)} days are few: a pool's past is asked for 7 (ranges) or 14 days (backtests).`]
        : []),
    ],
  }
}

export type DescribedBars = {
  readonly file: string
  readonly barSeconds: number
  readonly bars: number
  readonly filledBars: number
  readonly widenedBars: number
  readonly days: number
  readonly notes: readonly string[]
}

/** What a quote token is taken to be worth, by its name where `--pair` tells one: a file knows of no dollars. */
export function quoteWorth({ pair, quoteUsd }: Pick<CsvTerms, 'pair' | 'quoteUsd'>): string {
  return `One ${pair.split('/')[1] ?? 'quote token'} is taken to be ${quoteUsd} USD (--quote-usd)`
}
