import {
  ewmaSigma,
  ewmaStandardError,
  impliedSigma,
  isTraded,
  type LogForecast,
  MAX_TICK,
  timesForecast,
  volatilityAhead,
} from '@svc/lp-math'
import { type Pool, type PoolBars, ToolError } from '@svc/amm'
import { passesSoon } from '@svc/amm/rpc'
import { leastMove, wholeFee } from '../fees/pool-trade.ts'

/**
 * The annual volatility of a pool as a fraction: of past closes by EWMA, those of `busiest`, which traded most of its pair, or what its
 * own fees of the last 7 days pay for. Throws `INSUFFICIENT_HISTORY` below `leastDays` days of its known prices since the first trade, and
 * for one of closes where no second bar was traded in; `PRICE_UNAVAILABLE` and `INSUFFICIENT_LIQUIDITY` for an implied one.
 */
export function poolSigma(
  history: PoolBars,
  pool: Pool,
  { source, price, token1Usd, feesError, busiest, horizonDays }: PoolSigmaOptions,
): PoolSigma {
  const { bars, completeness } = history
  const own = { pool, bars, ...knownCloses(history) }
  const days = (own.closes.length * bars.barSeconds) / 86_400
  if (days < leastDays || own.closes.length < 2) throw tooShort(days, completeness.note)
  if (source === 'implied') {
    const sigma = Math.min(highest, impliedOf(history, pool, price * token1Usd ** 2))
    // It goes by the root of the fees.
    const ahead = sigmaAhead(own, { sigma, horizonDays })
    return { source, sigma, standardError: (sigma * feesError) / 2, ahead, lookbackDays: 7, ofPool: pool }
  }
  const most = { pool: busiest.pool, bars: busiest.history.bars, ...knownCloses(busiest.history) }
  const past = hasMoved(most) ? most : own
  if (!hasMoved(past)) throw tradedOnce()
  const { closes, traded } = past
  const { barSeconds } = past.bars
  const sigma = ewmaSigma(closes, { barSeconds })
  const standardError = ewmaStandardError(closes, { barSeconds, traded, leastMove: leastMove(past.pool) })
  // Where the volatility is cut off, its error is cut in the same proportion.
  const share = Math.min(1, highest / sigma)
  const lookbackDays = Math.floor((closes.length * barSeconds) / 86_400)
  return {
    source,
    sigma: sigma * share,
    standardError: standardError * share,
    ahead: sigmaAhead(past, { sigma: sigma * share, horizonDays }),
    lookbackDays,
    ofPool: past.pool,
  }
}

/** What closes forecast, moved to another volatility where not these gave it. */
function sigmaAhead({ closes, traded, bars: { barSeconds } }: KnownBars, wanted: WantedSigma): LogForecast | null {
  const forecast = volatilityAhead(closes, { barSeconds, traded, horizonDays: wanted.horizonDays })
  return forecast && timesForecast(forecast, wanted.sigma / ewmaSigma(closes, { barSeconds }))
}

type KnownBars = KnownCloses & Pick<PoolBars, 'bars'>

type WantedSigma = { readonly sigma: number; readonly horizonDays: number }

function hasMoved({ traded }: KnownCloses): boolean {
  return traded.includes(true, 1)
}

export type SigmaSource = 'historical' | 'implied'

export type PoolSigmaOptions = {
  readonly source: SigmaSource
  /** token1 per token0 in whole tokens of the caller's order, and what one token1 of it is worth. */
  readonly price: number
  readonly token1Usd: number
  /** One standard error of the fees a day, as a fraction of them. */
  readonly feesError: number
  /** Over which a volatility is forecast. */
  readonly horizonDays: number
  /** The pool of the pair that traded most, maybe the very one. */
  readonly busiest: { readonly pool: Pool; readonly history: PoolBars }
}

export type PoolSigma = {
  readonly source: SigmaSource
  readonly sigma: number
  readonly standardError: number
  /** What the closes of the horizon are to show; `null` where the price did not move. */
  readonly ahead: LogForecast | null
  readonly lookbackDays: number
  /** Whose closes or fees it is of. */
  readonly ofPool: Pool
}

const leastDays = 7
/** 1,000 % a year: what the formulas hold. */
const highest = 10

/** `priceUsd2` is price times the square of the dollars of one token1, so that its root is the root of price in dollars. */
function impliedOf({ bars, figures }: PoolBars, pool: Pool, priceUsd2: number): number {
  if (figures.volumeUsd === null) throw notImplied('PRICE_UNAVAILABLE', 'The volume of this pool has no price')
  const barsAWeek = Math.round((7 * 86_400) / bars.barSeconds)
  const week = figures.volumeUsd.slice(-barsAWeek).filter((volume) => volume >= 0 && Number.isFinite(volume))
  const whole = wholeFee(pool)
  const feePips = whole.feePips * (1 - whole.protocolFeeShare)
  const tickTvlUsd = (wholeLiquidity(pool) * Math.sqrt(priceUsd2) * feePips) / 1e6
  if (feePips === 0) return 0
  if (!(tickTvlUsd > 0)) throw notImplied('INSUFFICIENT_LIQUIDITY', 'No liquidity is active in this pool')
  if (week.length === 0) throw notImplied('PRICE_UNAVAILABLE', 'The volume of the last 7 days is not known')
  const volume = week.reduce((sum, one) => sum + one, 0)
  if (volume === 0) throw notImplied('INSUFFICIENT_HISTORY', 'Nobody traded in the last 7 days')
  return impliedSigma({ feePips, dailyVolumeUsd: (volume / week.length) * (barsAWeek / 7), tickTvlUsd })
}

function notImplied(
  code: 'PRICE_UNAVAILABLE' | 'INSUFFICIENT_LIQUIDITY' | 'INSUFFICIENT_HISTORY',
  why: string,
): ToolError {
  const message = `${why}, so that it implies no volatility.`
  return new ToolError(code, message, {
    details: [{ field: 'volatilitySource', message, accepted: 'historical' }],
    suggestion: 'Ask with volatilitySource historical, which past prices tell, or for another pool.',
  })
}

function wholeLiquidity({ liquidity, token0, token1 }: Pool): number {
  return Number(liquidity) / 10 ** ((token0.decimals + token1.decimals) / 2)
}

/** Whether an endpoint gives neither swap logs nor state of past blocks, and no sooner to who asks again; not one that is asked too often. */
export function refusesPast(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'RPC_REFUSED' && !passesSoon(error)
}

export const noPast = 'The endpoint of the chain refuses what the past of this pool is read from.'

/** Throws `INSUFFICIENT_HISTORY` in place of such a refusal, else the error as it is. */
export function nothingKnown(error: unknown): never {
  throw refusesPast(error) ? tooShort(0, noPast, error) : error
}

function tooShort(days: number, note: string | null, cause?: unknown): ToolError {
  const found = Math.max(0, Math.floor(days * 100) / 100)
  const message = `${found} days of prices are known since the first trade, and ${leastDays} are needed.${note === null ? '' : ` ${note}`}`
  return new ToolError('INSUFFICIENT_HISTORY', message, {
    details: [
      {
        field: 'pool',
        message,
        accepted: `a pool with at least ${leastDays} days of known prices`,
        daysFound: found,
        daysNeeded: leastDays,
      },
    ],
    cause,
  })
}

function tradedOnce(): ToolError {
  const message =
    'Nobody traded in this pool after the first trade that is known: that its price stood still tells no volatility.'
  return new ToolError('INSUFFICIENT_HISTORY', message, {
    details: [
      { field: 'pool', message, accepted: 'a pool with trades in at least 2 bars', tradedFound: 1, tradedNeeded: 2 },
    ],
  })
}

/**
 * The closes of the bars that are known, for a volatility: gaps and ticks that no pool can have are left out, and a move over them is
 * scaled by the root of its time to that of one bar. So are the bars before the first trade: that a price nobody traded at stood still
 * tells nothing. They are relative to the last. A move over a gap was traded, as far as anybody knows in the bar that ends it.
 */
export function knownCloses({ bars, completeness }: Pick<PoolBars, 'bars' | 'completeness'>): KnownCloses {
  const gaps = new Set(completeness.gapsAt)
  const levels: number[] = []
  const traded: boolean[] = []
  let last: { readonly bar: number; readonly tick: number } | null = null
  let hasTraded = false
  for (const [bar, tick] of bars.closeTick.entries()) {
    hasTraded ||= isTraded(bars, bar)
    if (!hasTraded || gaps.has(bars.startsAt[bar] ?? 0) || !(Math.abs(tick) <= MAX_TICK)) continue
    const moved: number = last === null ? 0 : (tick - last.tick) / Math.sqrt(bar - last.bar)
    levels.push(Math.min(mostLevel, Math.max(-mostLevel, (levels.at(-1) ?? 0) + moved)))
    traded.push(moved !== 0 || isTraded(bars, bar))
    last = { bar, tick }
  }
  const end = levels.at(-1) ?? 0
  return { closes: Float64Array.from(levels, (level) => 1.0001 ** (level - end)), traded }
}

export type KnownCloses = {
  readonly closes: Float64Array
  /** Of each close whether its bar saw a trade. */
  readonly traded: readonly boolean[]
}

/** Keeps the quotient of any two closes a double. */
const mostLevel = 3 * MAX_TICK
