import {
  feePace,
  type FeePace,
  impliedSigma,
  liquidityProfile,
  paceError,
  resampleBars,
  type RangeDoubts,
  type RangeMarket,
} from '@svc/lp-math'
import { UsageError } from '../usage-error.ts'
import type { CsvPool } from './csv-pool.ts'
import { csvTrade } from './csv-trade.ts'
import { pastSigma } from './past-sigma.ts'

/**
 * The market that the bars of a file end in: their last price and volatility, their fees a day, and for want of the pool's ticks one
 * liquidity at every price, the mean that their fees were shared by. Money counts in quote tokens. Throws
 * `LpMathError`, and `UsageError` where a volatility shall follow from trade and there was none.
 */
export function csvMarket(pool: CsvPool, options: CsvMarketOptions): CsvMarket {
  const { bars, feePips, tickSpacing, decimals0, decimals1, baseToken, quoteUsd, gasUsd } = pool
  const { fees, volumes } = csvTrade(pool)
  const pace = paceOf(fees)
  const tick = bars.closeTick.at(-1) ?? 0
  const raw = 1.0001 ** tick * 10 ** (decimals0 - decimals1)
  const price = baseToken === 0 ? raw : 1 / raw
  const liquidity = resampleBars(bars, bars.barSeconds * bars.startsAt.length).liquidity[0] ?? 0
  const profile = liquidityProfile({
    ticks: [],
    tick: Math.floor(tick),
    liquidity: BigInt(Math.round(liquidity)),
    decimals0,
    decimals1,
    inverted: baseToken === 1,
  })
  const volatility = { ...volatilityOf(), source: options.volatilitySource }
  const [own0, own1] = baseToken === 0 ? [decimals0, decimals1] : [decimals1, decimals0]
  return {
    doubts: { pace, sigmaError: volatility.standardError },
    volatility,
    market: {
      model: { price, sigma: Math.min(volatility.sigma, 10), drift: 0, years: options.horizonDays / 365 },
      profile,
      feesPerDay: pace.perDay,
      fee: feePips / 1e6,
      blockSeconds: options.blockSeconds,
      value: options.amountUsd / quoteUsd,
      gasCost: (2 * gasUsd) / quoteUsd,
      tickSpacing,
      decimals0: own0,
      decimals1: own1,
    },
  }

  function paceOf(column: Float64Array): FeePace {
    const found = feePace(column, bars)
    if (found === null) throw new TypeError('what a bar traded is a number')
    return found
  }

  function volatilityOf() {
    const past = pastSigma(bars)
    if (options.volatilitySource === 'historical') return past
    const fee = feePips / 1e6
    const tickTvlUsd = (profile.liquidity[0] ?? 0) * Math.sqrt(price) * fee
    const dailyVolumeUsd = paceOf(volumes).perDay
    if (dailyVolumeUsd === 0) throw new UsageError(noTrade)
    const sigma = impliedSigma({ fee, dailyVolumeUsd, tickTvlUsd })
    return { sigma, standardError: (sigma * paceError(pace)) / 2, barSeconds: bars.barSeconds }
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
  readonly volatility: {
    readonly source: 'historical' | 'implied'
    readonly sigma: number
    readonly standardError: number
    readonly barSeconds: number
  }
}
