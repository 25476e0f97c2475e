import { type Bars, ewmaRelativeError, ewmaSigma, resampleBars } from '@svc/lp-math'

/**
 * The annual volatility of bars by EWMA over hourly closes, or over their own where they are no part of an hour, and its standard
 * error. Throws `LpMathError` `SERIES_TOO_SHORT`.
 */
export function pastSigma(bars: Bars): PastSigma {
  const isFine = 3600 % bars.barSeconds === 0 && bars.startsAt.length * bars.barSeconds >= 7200
  const { closeTick, barSeconds } = isFine ? resampleBars(bars, 3600) : bars
  const first = closeTick[0] ?? 0
  const closes = closeTick.map((tick) => 1.0001 ** (tick - first))
  const sigma = ewmaSigma(closes, { barSeconds })
  return { sigma, standardError: sigma * ewmaRelativeError(closes, { barSeconds }), barSeconds }
}

export type PastSigma = {
  readonly sigma: number
  readonly standardError: number
  /** Length of the bars whose closes were taken. */
  readonly barSeconds: number
}
