import { LpMathError } from '../lp-math-error.ts'

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
