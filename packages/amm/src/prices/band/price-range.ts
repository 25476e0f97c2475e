/** Prices of one whole token, in US dollars or in whole quote tokens, times 1e18. */
export type PriceRange = {
  /** Rounded down. */
  readonly lowE18: bigint
  /** Rounded up. */
  readonly highE18: bigint
}

/** 1 in prices times 1e18. */
export const e18 = 10n ** 18n

/** The smallest range that holds all of them; `null` of none. */
export function hullOf(ranges: readonly PriceRange[]): PriceRange | null {
  const [first, ...rest] = ranges
  if (first === undefined) return null
  return rest.reduce((hull, range) => stretchedTo(hull, range), first)
}

/** A range as far as both edges of another. */
export function stretchedTo(range: PriceRange, { lowE18, highE18 }: PriceRange): PriceRange {
  return {
    lowE18: lowE18 < range.lowE18 ? lowE18 : range.lowE18,
    highE18: highE18 > range.highE18 ? highE18 : range.highE18,
  }
}

/** A range as far as the nearer edge of another; itself where the two overlap. */
export function reaching(range: PriceRange, other: PriceRange): PriceRange {
  if (other.lowE18 > range.highE18) return { ...range, highE18: other.lowE18 }
  if (other.highE18 < range.lowE18) return { ...range, lowE18: other.highE18 }
  return range
}

export function overlaps(one: PriceRange, other: PriceRange): boolean {
  return one.lowE18 <= other.highE18 && other.lowE18 <= one.highE18
}

/** Whether a range lies in another with both edges. */
export function isWithin(range: PriceRange, outer: PriceRange): boolean {
  return outer.lowE18 <= range.lowE18 && range.highE18 <= outer.highE18
}

/** From the low edge by a factor down to the high edge by the same factor up; `factor` is at least 1 and finite. */
export function widenedBy(range: PriceRange, factor: number): PriceRange {
  const scaled = BigInt(Math.ceil(factor * Number(factorUnit)))
  return {
    lowE18: (range.lowE18 * factorUnit) / scaled,
    highE18: (range.highE18 * scaled + factorUnit - 1n) / factorUnit,
  }
}

/** A price in quote tokens through the price of the quote token: low by low, high by high. */
export function throughQuote(range: PriceRange, quote: PriceRange): PriceRange {
  return {
    lowE18: (range.lowE18 * quote.lowE18) / e18,
    highE18: (range.highE18 * quote.highE18 + e18 - 1n) / e18,
  }
}

/** Nearer edge of a range, or the price itself where it lies within. */
export function clamped(priceE18: bigint, { lowE18, highE18 }: PriceRange): bigint {
  if (priceE18 < lowE18) return lowE18
  return priceE18 > highE18 ? highE18 : priceE18
}

/** Which token of a pool is priced, and how its prices in smallest units become prices of whole tokens. */
export type PriceSide = {
  /** Whether the priced token is the pool's first. */
  readonly tokenIs0: boolean
  readonly tokenDecimals: number
  readonly quoteDecimals: number
}

/**
 * A price of one whole token in whole quote tokens, times 1e18, from a ratio of smallest units (quote per token):
 * `numerator / denominator`, rounded down and up.
 */
export function fixedPrice(numerator: bigint, denominator: bigint, decimals: Omit<PriceSide, 'tokenIs0'>): PriceRange {
  const above = numerator * 10n ** BigInt(decimals.tokenDecimals + 18)
  const below = denominator * 10n ** BigInt(decimals.quoteDecimals)
  return { lowE18: above / below, highE18: (above + below - 1n) / below }
}

/** The same from a pool's square root price, which is not 0. Source: v3 whitepaper eq. 6.4. */
export function fixedPriceOfSqrt(sqrtPriceX96: bigint, side: PriceSide): PriceRange {
  const square = sqrtPriceX96 * sqrtPriceX96
  return side.tokenIs0 ? fixedPrice(square, 1n << 192n, side) : fixedPrice(1n << 192n, square, side)
}

/** Factors are taken to a billionth. */
const factorUnit = 1_000_000_000n

/** A band of a token that was kept. */
export type SeenBand = PriceRange & { readonly midE18: bigint; readonly atSeconds: number }

/**
 * Stretches a band that lies further from an earlier one than the token can have moved since: up to four standard deviations of
 * its own volatility. Every sighting of the last day bounds it, so that many small jumps are no way around.
 *
 * @param seen in any order
 * @param atSeconds time of the block
 */
export function boundJump(range: PriceRange, seen: readonly SeenBand[], atSeconds: number): BoundedJump {
  const recent = seen
    .filter(({ atSeconds: at, lowE18 }) => at <= atSeconds && atSeconds - at <= daySeconds && lowE18 > 0n)
    .toSorted((one, other) => one.atSeconds - other.atSeconds)
  const sigma = yearlySigma(recent)
  let bounded = range
  let bound: PriceRange | null = null
  for (const sighting of recent) {
    const reach = reachOf(sighting, atSeconds, sigma)
    if (!overlaps(bounded, reach)) bound = reach
    bounded = reaching(bounded, reach)
  }
  return { range: bounded, bound }
}

/** Where the price can have gone since a band was seen. */
export function reachOf(sighting: SeenBand, atSeconds: number, sigma = leastSigma): PriceRange {
  const years = Math.max(atSeconds - sighting.atSeconds, shortestAgeSeconds) / yearSeconds
  return widenedBy(sighting, Math.exp(deviations * sigma * Math.sqrt(years)))
}

type BoundedJump = {
  readonly range: PriceRange
  /** What the band was stretched to; `null` where it lies within. */
  readonly bound: PriceRange | null
}

/** Older sightings bound nothing: a price that was pushed once is not to stop a token for days. */
const daySeconds = 86_400
const yearSeconds = 365 * daySeconds
/** Standard deviations; honest volatility exceeds them in about one of a thousand days of hourly sightings. */
const deviations = 4
/** Yearly volatility by a day of sightings is kept between these: coins are rarely calmer, and hardly ever wilder for a day. */
const leastSigma = 0.6
const mostSigma = 3
/** However young a sighting, the price may have moved as far as in an hour. */
const shortestAgeSeconds = 3_600

/** Realised, from the middles of neighbouring sightings. */
function yearlySigma(sorted: readonly SeenBand[]): number {
  let squares = 0
  for (const [index, { midE18 }] of sorted.entries()) {
    const before = sorted[index - 1]
    if (before !== undefined) squares += Math.log(Number(midE18) / Number(before.midE18)) ** 2
  }
  const [first, last] = [sorted[0], sorted.at(-1)]
  const seconds = first === undefined || last === undefined ? 0 : last.atSeconds - first.atSeconds
  const sigma = seconds > 0 ? Math.sqrt((squares * yearSeconds) / seconds) : 0
  return Math.min(Math.max(sigma, leastSigma), mostSigma)
}
