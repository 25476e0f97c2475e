import { overlaps, type PriceRange, reaching, widenedBy } from './price-range.ts'

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

export type BoundedJump = {
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
