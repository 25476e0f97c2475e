import { LpMathError } from '../lp-math-error.ts'

/**
 * Annual volatility, as a fraction, of the closes of bars of one length: the sample standard deviation (n - 1) of their log returns.
 * @throws LpMathError `SERIES_TOO_SHORT` below 3 closes, `PRICE_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function realisedSigma(closes: ArrayLike<number>, { barSeconds }: { readonly barSeconds: number }): number {
  const perYear = barsPerYear(barSeconds)
  const returns = logReturns(closes, 3)
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
  const squares = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0)
  return Math.sqrt((squares / (returns.length - 1)) * perYear)
}

/**
 * Logarithms of each close over the one before.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` for a close that is not finite and positive, `SERIES_TOO_SHORT` below `least` closes.
 */
export function logReturns(closes: ArrayLike<number>, least: number): Float64Array {
  if (closes.length < least) throw new LpMathError('SERIES_TOO_SHORT', `closes has at least ${least} prices.`)
  const logs = Float64Array.from(closes, (close, index) => {
    if (close > 0 && close < Number.POSITIVE_INFINITY) return Math.log(close)
    throw new LpMathError('PRICE_OUT_OF_RANGE', `closes[${index}] is a finite, positive price.`)
  })
  return logs.subarray(1).map((log, index) => log - (logs[index] ?? log))
}

/** Bars of a year of 365 days. @throws LpMathError `YEARS_OUT_OF_RANGE` for bars of no time or above a year. */
export function barsPerYear(barSeconds: number): number {
  if (!(barSeconds > 0 && barSeconds <= SECONDS_OF_YEAR)) {
    throw new LpMathError('YEARS_OUT_OF_RANGE', 'barSeconds is above 0 and at most a year.')
  }
  return SECONDS_OF_YEAR / barSeconds
}

const SECONDS_OF_YEAR = 365 * 86_400

/**
 * Annual volatility, as a fraction, from the closes of bars of one length, oldest first: squared log returns weighted by 0.94 a day of
 * age, whatever the length of a bar, with weights that add up to 1 however short the series is. A mean is not taken out.
 * Source: RiskMetrics Technical Document (J.P. Morgan, 1996), section 5.2.
 * @throws LpMathError `SERIES_TOO_SHORT` below 2 closes, `PRICE_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE`.
 */
export function ewmaSigma(closes: ArrayLike<number>, { barSeconds }: { readonly barSeconds: number }): number {
  const perYear = barsPerYear(barSeconds)
  const decay = DECAY_OF_DAY ** (barSeconds / 86_400)
  let [sum, weight] = [0, 0]
  for (const logReturn of logReturns(closes, 2)) {
    sum = decay * sum + logReturn * logReturn
    weight = decay * weight + 1
  }
  return Math.sqrt((sum / weight) * perYear)
}

const DECAY_OF_DAY = 0.94

/**
 * The class of an annual volatility given as a fraction: STABLE below 5 %, LOW below 30 %, MODERATE below 80 %, HIGH below 150 %, else EXTREME.
 * @throws LpMathError `SIGMA_OUT_OF_RANGE` unless finite and at least 0.
 */
export function classifyVolatility(sigma: number): VolatilityClass {
  if (!(sigma >= 0 && sigma < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('SIGMA_OUT_OF_RANGE', 'sigma is an annual volatility as a finite fraction of at least 0.')
  }
  if (sigma < 0.05) return 'STABLE'
  if (sigma < 0.3) return 'LOW'
  if (sigma < 0.8) return 'MODERATE'
  return sigma < 1.5 ? 'HIGH' : 'EXTREME'
}

export type VolatilityClass = 'STABLE' | 'LOW' | 'MODERATE' | 'HIGH' | 'EXTREME'

/**
 * Annual volatility, as a fraction, that a pool's fees pay for: 2·fee·√(daily volume/tick TVL)·√365. `fee` is a fraction (0.003 is 30 bp).
 * `tickTvlUsd` is the value of the active liquidity over a width of twice the fee, L·√price·fee in USD; that is one tick spacing at 5,
 * 30 and 100 bp. It is the volatility at which LVR, sigma²/4·L·√price a year, equals the fees.
 * Source: G. Lambert, "On-chain Volatility and Uniswap v3" (2021); the equality with LVR follows from Milionis et al. (2022).
 * @throws LpMathError `FEE_OUT_OF_RANGE`; `AMOUNT_NEGATIVE` for a volume below 0 or no number; `LIQUIDITY_OUT_OF_RANGE` unless the TVL is positive.
 */
export function impliedSigma({ fee, dailyVolumeUsd, tickTvlUsd }: ImpliedSigmaOptions): number {
  if (!(fee >= 0 && fee < 1)) throw new LpMathError('FEE_OUT_OF_RANGE', 'fee is a fraction of at least 0 and below 1.')
  if (!(dailyVolumeUsd >= 0 && dailyVolumeUsd < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('AMOUNT_NEGATIVE', 'dailyVolumeUsd is finite and at least 0.')
  }
  if (!(tickTvlUsd > 0 && tickTvlUsd < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'tickTvlUsd is finite and positive.')
  }
  return 2 * fee * Math.sqrt((dailyVolumeUsd / tickTvlUsd) * 365)
}

export type ImpliedSigmaOptions = {
  readonly fee: number
  readonly dailyVolumeUsd: number
  readonly tickTvlUsd: number
}
