import { type Bars, ewmaSigma, resampleBars } from '@svc/lp-math'

/**
 * The annual volatility of bars by EWMA over hourly closes, or over their own where they are no part of an hour, and its standard
 * error: of the weighted squares, were they independent and spread as these are (their kurtosis). Throws `LpMathError`
 * `SERIES_TOO_SHORT`.
 */
export function pastSigma(bars: Bars): PastSigma {
  const isFine = 3600 % bars.barSeconds === 0 && bars.startsAt.length * bars.barSeconds >= 7200
  const { closeTick, barSeconds } = isFine ? resampleBars(bars, 3600) : bars
  const first = closeTick[0] ?? 0
  const sigma = ewmaSigma(
    closeTick.map((tick) => 1.0001 ** (tick - first)),
    { barSeconds },
  )
  return { sigma, standardError: sigma * relativeError(closeTick, 0.94 ** (barSeconds / 86_400)), barSeconds }
}

export type PastSigma = {
  readonly sigma: number
  readonly standardError: number
  /** Length of the bars whose closes were taken. */
  readonly barSeconds: number
}

/** Half that of the variance: sqrt((kurtosis - 1)/n), n being what so many unequal weights count for. */
function relativeError(closeTick: Float64Array, decay: number): number {
  let [weights, squares, seconds, fourths] = [0, 0, 0, 0]
  for (let bar = 1; bar < closeTick.length; bar++) {
    const change = (closeTick[bar] ?? 0) - (closeTick[bar - 1] ?? 0)
    weights = weights * decay + 1
    squares = squares * decay ** 2 + 1
    seconds = seconds * decay + change ** 2
    fourths = fourths * decay + change ** 4
  }
  if (seconds === 0) return 0
  const kurtosis = (fourths * weights) / seconds ** 2
  return Math.sqrt((Math.max(kurtosis - 1, 2) * squares) / weights ** 2) / 2
}
