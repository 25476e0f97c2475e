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
  const recent = within(seen, atSeconds, boundsSeconds)
  const sigma = yearlySigma(recent)
  let bounded = range
  let bound: PriceRange | null = null
  for (const sighting of recent) {
    const reach = reachOf(sighting, sigma, atSeconds)
    if (!overlaps(bounded, reach)) bound = reach
    bounded = reaching(bounded, reach)
  }
  return { range: bounded, bound }
}

/** Oldest first. */
function within(seen: readonly SeenBand[], atSeconds: number, seconds: number): readonly SeenBand[] {
  return seen
    .filter(({ atSeconds: at, lowE18 }) => at <= atSeconds && atSeconds - at <= seconds && lowE18 > 0n)
    .toSorted((one, other) => one.atSeconds - other.atSeconds)
}

/** Where the price can have gone since. */
function reachOf(sighting: SeenBand, sigma: number, atSeconds: number): PriceRange {
  const years = Math.max(atSeconds - sighting.atSeconds, shortestAgeSeconds) / yearSeconds
  return widenedBy(sighting, Math.exp(deviations * sigma * Math.sqrt(years)))
}

/**
 * Whether earlier bands hold a price: of the last three days at least three within whose reach it lies, each an hour or more after the
 * one before, the first of them at least eight hours ago. To have made them all up, a push has to have been repeated over that time.
 */
export function isAnchored(range: PriceRange, seen: readonly SeenBand[], atSeconds: number): boolean {
  const earlier = within(seen, atSeconds, anchorsSeconds)
  const sigma = yearlySigma(earlier)
  const holding = earlier.filter((sighting) => overlaps(range, reachOf(sighting, sigma, atSeconds)))
  const [oldest] = holding
  if (oldest === undefined || atSeconds - oldest.atSeconds < anchorAgeSeconds) return false
  let last = oldest.atSeconds - apartSeconds
  const apart = holding.filter((sighting) => {
    const isApart = sighting.atSeconds - last >= apartSeconds
    if (isApart) last = sighting.atSeconds
    return isApart
  })
  return apart.length >= fewestAnchors
}

const fewestAnchors = 3
const apartSeconds = 3_600
const anchorAgeSeconds = 8 * 3_600

export type BoundedJump = {
  readonly range: PriceRange
  /** What the band was stretched to; `null` where it lies within. */
  readonly bound: PriceRange | null
}

/** Older sightings bound nothing: a price that was pushed once is not to stop a token for days. */
const boundsSeconds = 86_400
const anchorsSeconds = 3 * 86_400
const yearSeconds = 365 * 86_400
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
