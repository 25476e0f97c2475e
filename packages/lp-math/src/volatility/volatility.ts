import { LpMathError, requireFeePips } from '../lp-math-error.ts'

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

/**
 * The standard error of `ewmaSigma` for the same closes, annual and a fraction, in three parts of which the greatest counts.
 *
 * What scatters: half of the relative error of the variance, sqrt((k - 1)/m), where k is the kurtosis of the weighted returns, at least
 * the normal one, and m = (sum w)^2 / sum w^2 what weights of 0.94 a day count for (Kish, "Survey Sampling", 1965, 11.7). How few
 * traded: (1 + 1/n^2)/sqrt(2n) of the volatility, n being the same over the weights of bars with a trade alone, as a price that nobody
 * traded at was not seen to stand still. That is the first term of the deviation of a root of a chi-square over n, and what makes the
 * truth lie within it in 68 of 100 samples of 1 and of 2 too. What no trade shows: a price that moves by less than the fee pays nobody to
 * follow it, so each bar may hide a move anywhere within `leastMove` to either side, of a mean square of leastMove^2/3; of the volatility
 * of such moves the same part is in doubt, so that closes that never moved are no certain 0. Returns are taken for independent.
 *
 * @throws LpMathError `SERIES_TOO_SHORT` below 2 closes, or where none after the first was traded at; `PRICE_OUT_OF_RANGE`,
 * `YEARS_OUT_OF_RANGE`.
 */
export function ewmaStandardError(
  closes: ArrayLike<number>,
  { barSeconds, traded, leastMove }: EwmaErrorOptions,
): number {
  const perYear = barsPerYear(barSeconds)
  const decay = 0.94 ** (barSeconds / 86_400)
  const all: Weights = { sum: 0, squares: 0 }
  const ofTraded: Weights = { sum: 0, squares: 0 }
  let [seconds, fourths] = [0, 0]
  for (const [index, change] of logReturns(closes, 2).entries()) {
    add(all, decay, 1)
    add(ofTraded, decay, traded[index + 1] === true ? 1 : 0)
    seconds = seconds * decay + change ** 2
    fourths = fourths * decay + change ** 4
  }
  if (ofTraded.sum === 0) throw new LpMathError('SERIES_TOO_SHORT', 'No close after the first was traded at.')
  const sigma = Math.sqrt((seconds / all.sum) * perYear)
  const kurtosis = seconds === 0 ? 3 : (fourths * all.sum) / seconds ** 2
  const ofScatter = (sigma * Math.sqrt(Math.max(kurtosis - 1, 2) / countOf(all))) / 2
  const hidden = leastMove * Math.sqrt(perYear / 3)
  const count = countOf(ofTraded)
  return Math.max(ofScatter, (Math.max(sigma, hidden) * (1 + 1 / count ** 2)) / Math.sqrt(2 * count))
}

/** How an exponentially weighted volatility was estimated. */
export type EwmaErrorOptions = {
  readonly barSeconds: number
  /** Of each close whether its bar saw a trade. */
  readonly traded: ArrayLike<boolean>
  /** What the price must move by before somebody trades, as a fraction: the fee of the pool. */
  readonly leastMove: number
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

/** The name of an annual volatility: STABLE below 5 %, LOW below 30 %, MODERATE below 80 %, HIGH below 150 %, else EXTREME. */
export type VolatilityClass = 'STABLE' | 'LOW' | 'MODERATE' | 'HIGH' | 'EXTREME'

/**
 * Annual volatility, as a fraction, that a pool's fees pay for: 2·fee·√(daily volume/tick TVL)·√365.
 * `tickTvlUsd` is the value of the active liquidity over a width of twice the fee, L·√price·fee in USD; that is one tick spacing at 5,
 * 30 and 100 bp. It is the volatility at which LVR, sigma²/4·L·√price a year, equals the fees.
 * Source: G. Lambert, "On-chain Volatility and Uniswap v3" (2021); the equality with LVR follows from Milionis et al. (2022).
 * @throws LpMathError `FEE_OUT_OF_RANGE`; `AMOUNT_NEGATIVE` for a volume below 0 or no number; `LIQUIDITY_OUT_OF_RANGE` unless the TVL is positive.
 */
export function impliedSigma({ feePips, dailyVolumeUsd, tickTvlUsd }: ImpliedSigmaOptions): number {
  requireFeePips(feePips)
  if (!(dailyVolumeUsd >= 0 && dailyVolumeUsd < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('AMOUNT_NEGATIVE', 'dailyVolumeUsd is finite and at least 0.')
  }
  if (!(tickTvlUsd > 0 && tickTvlUsd < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'tickTvlUsd is finite and positive.')
  }
  return (2 * feePips * Math.sqrt((dailyVolumeUsd / tickTvlUsd) * 365)) / 1e6
}

/** What {@link impliedSigma} is asked of. */
export type ImpliedSigmaOptions = {
  /** Of a swap, in millionths of the input: 3000 is 30 bp. */
  readonly feePips: number
  readonly dailyVolumeUsd: number
  readonly tickTvlUsd: number
}

type Weights = { sum: number; squares: number }

function add(weights: Weights, decay: number, weight: number): void {
  weights.sum = weights.sum * decay + weight
  weights.squares = weights.squares * decay ** 2 + weight
}

function countOf({ sum, squares }: Weights): number {
  return sum ** 2 / squares
}

/**
 * The volatility of a market with that of own episodes blended in: a mean of the logarithms of both variances, each weighted by its precision,
 * as a normal prior and a normal sample are combined (Gelman et al., "Bayesian Data Analysis", 3rd ed. 2013, 2.5; with a variance
 * between the groups, 5.4).
 *
 * - Of the market, `m = ln sigma^2` with the variance `s^2 = (2 standardError / sigma)^2` (delta method).
 * - Of episodes, `o`, the mean of `ln sigma_i^2 + 1/n_i` weighted by `c_i n_i / 2`, where n_i are its degrees of freedom: the logarithm of a
 *   variance of n normal returns has the bias -1/n and the variance 2/n (Bartlett and Kendall, JRSS Suppl. 8, 1946, p. 128). The confidence
 *   c_i has an episode count for fewer returns. Its variance is `driftVariance + 1 / sum(c_i n_i / 2)`: what was true while an episode lasted
 *   differs from what comes, for all of them alike, so that however many there are, they are never surer than that.
 * - Then `ln sigma_blend^2 = m + w d` with `w = s^2 / (s^2 + variance of o)`, at most `mostMemoryWeight`, and `d = o - m`, at most
 *   `mostLogDistance` either way. So memory moves a volatility by a factor from 1/sqrt(2) to sqrt(2), whatever stands in it.
 *
 * Without episodes, or with a confidence of 0 in all, it is the market's to the bit. A market that never moved, or whose error is 0, keeps its own.
 *
 * @throws LpMathError `SIGMA_OUT_OF_RANGE` for a market or an episode without a finite volatility of at least 0, a standard error below 0, a confidence
 * outside of 0 to 1, or fewer than one return.
 */
export function blendVolatility(market: MarketVolatility, episodes: readonly EpisodeVolatility[]): BlendedVolatility {
  const { sigma, standardError } = market
  if (![sigma, standardError].every((value) => value >= 0 && Number.isFinite(value))) throw outOfRange('The market')
  for (const episode of episodes) requireInRange(episode)
  const counted = episodes.filter((one) => one.confidence > 0 && one.sigma > 0)
  const precision = counted.reduce((sum, { confidence, returns }) => sum + (confidence * returns) / 2, 0)
  const alone = { sigma, standardError, weight: 0, ownSigma: null, returns: 0, episodes: 0 }
  if (precision === 0) return alone
  const own = counted.reduce(
    (sum, one) => sum + logVarianceOf(one) * ((one.confidence * one.returns) / 2 / precision),
    0,
  )
  const facts = {
    ownSigma: Math.exp(own / 2),
    returns: counted.reduce((sum, { returns }) => sum + returns, 0),
    episodes: counted.length,
  }
  const marketVariance = sigma === 0 ? 0 : (2 * (standardError / sigma)) ** 2
  const ownVariance = driftVariance + 1 / precision
  if (marketVariance === 0) return { ...alone, ...facts }
  const weight = Math.min(mostMemoryWeight, 1 / (1 + ownVariance / marketVariance))
  const distance = Math.max(-mostLogDistance, Math.min(mostLogDistance, own - 2 * Math.log(sigma)))
  const blended = sigma * Math.exp((weight * distance) / 2)
  // Each part with the variance of its own: the cap leaves memory less than its share, never more.
  const ofOwn = weight === 0 ? 0 : weight ** 2 * ownVariance
  const variance = ofOwn + (1 - weight) ** 2 * marketVariance
  return { ...facts, sigma: blended, standardError: (blended * Math.sqrt(variance)) / 2, weight }
}

/** How far the logarithm of a variance drifts between an episode and what comes: half a unit, a factor of 1.28 of the volatility, is one deviation. */
export const driftVariance = 0.25

/** What memory counts for at most, however sure it seems to be. */
export const mostMemoryWeight = 0.5

/** A quarter or four times the variance, half or twice the volatility. */
export const mostLogDistance = Math.log(4)

/** The volatility of a market, and its standard error. */
export type MarketVolatility = {
  /** Annual, as a fraction, like every volatility here. */
  readonly sigma: number
  readonly standardError: number
}

/** What one own position saw of the volatility while it was open. */
export type EpisodeVolatility = {
  readonly sigma: number
  /** How many independent returns it is of, less one where their mean was taken off. */
  readonly returns: number
  /** 0 counts for nothing, 1 for all of its returns. */
  readonly confidence: number
}

/** The volatility of the market and of own positions, weighed into one. */
export type BlendedVolatility = MarketVolatility & {
  /** Of memory, 0 to `mostMemoryWeight`. */
  readonly weight: number
  /** What the episodes say alone; `null` where none counts. */
  readonly ownSigma: number | null
  /** Of the episodes that count. */
  readonly returns: number
  readonly episodes: number
}

function requireInRange({ sigma, returns, confidence }: EpisodeVolatility): void {
  const isGood = sigma >= 0 && Number.isFinite(sigma) && returns >= 1 && Number.isFinite(returns)
  if (!isGood || !(confidence >= 0 && confidence <= 1)) throw outOfRange('An episode')
}

function logVarianceOf({ sigma, returns }: EpisodeVolatility): number {
  return 2 * Math.log(sigma) + 1 / returns
}

function outOfRange(of: string): LpMathError {
  return new LpMathError(
    'SIGMA_OUT_OF_RANGE',
    `${of} has a finite volatility, error, confidence and number of returns.`,
  )
}
