import {
  type Bars,
  ewmaSigma,
  ewmaStandardError,
  isTraded,
  type LogForecast,
  resampleBars,
  volatilityAhead,
} from '@svc/lp-math'

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

export type PastSigma = {
  readonly sigma: number
  readonly standardError: number
  /** What the closes of the horizon are to show; `null` where the price did not move. */
  readonly ahead: LogForecast | null
  /** Length of the bars whose closes were taken. */
  readonly barSeconds: number
}
