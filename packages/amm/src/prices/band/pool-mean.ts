import { getSqrtPriceAtTick, integerSqrt, larger, MAX_TICK, smaller } from '@svc/lp-math'
import type { PoolReading, PoolSample, PoolSnapshot, PriceSums, TickSums } from './pool-reading.ts'
import {
  fixedPrice,
  fixedPriceOfSqrt,
  hullOf,
  overlaps,
  type PriceRange,
  type PriceSide,
  reaching,
  widenedBy,
} from './price-range.ts'

/** A price over time, in whole quote tokens for one whole token. */
export type PoolMean = PriceRange & {
  readonly midE18: bigint
  /** The time it covers. */
  readonly seconds: number
  /** What stood in range over the better part of that time, so that a push of a moment makes no pool thin. */
  readonly liquidity: bigint
  /**
   * What stood there all but throughout, as far as is known, so that money parked for a part of it makes no pool deep, and a moment
   * without it makes none empty.
   */
  readonly leastLiquidity: bigint
  readonly from: MeanSource
}

export type MeanSource = 'its own oracle' | 'older blocks' | 'earlier sightings'

/**
 * The mean of a pool over time: from the first of these sources that reaches back `shortestMeanSeconds`, else `null`.
 * 1. v3: single seconds that its own oracle recalls. v2: what it summed up since older blocks.
 * 2. v3 and v4: single older blocks.
 * 3. v2 and v3: what the pool summed up since the server last saw it. A v4 pool sums nothing up, and single sightings would be of
 *    moments that the caller chose.
 *
 * The liquidity of v3 and v4 may end: whoever empties a pool takes its price to the end of all ticks for the fees alone, so one
 * block moves a mean of ticks at will. Of moments that nobody knows beforehand, the middle half keeps one edge in place until the price
 * is held for most of the time. The sums of v2 give a range from the harmonic to the arithmetic mean; a moment cannot move both.
 */
export function poolMean({ row, side, now, observed, recalled, older, seen }: PoolReading): PoolMean | null {
  if (now === null) return null
  const { version } = row
  const recent =
    version === 'v2'
      ? summedMean(older, now, side, 'older blocks')
      : (recalledMean(recalled, { observed, now, side }) ?? momentsMean(older, now, side))
  if (recent !== null || version === 'v4') return recent
  const mean = summedMean([...older, ...seen], now, side, 'earlier sightings')
  return mean === null || version === 'v2' ? mean : reachingMoments(mean, [...older, ...seen], now, side)
}

/** From the lower to the upper quartile of the ticks: one edge stays in place until three quarters of them are pushed. */
function recalledMean(
  recalled: PoolReading['recalled'],
  { observed, now, side }: Pick<PoolReading, 'observed' | 'side'> & { readonly now: PoolSnapshot },
): PoolMean | null {
  if (recalled.length < fewestMoments) return null
  const ticks = recalled.map(({ tick }) => tick).toSorted((one, other) => one - other)
  const quarter = Math.floor(ticks.length / 4)
  const [low = 0, middle = 0, high = 0] = [quarter, Math.floor(ticks.length / 2), ticks.length - 1 - quarter].map(
    (index) => ticks[index],
  )
  // In its tick a price is anywhere up to the next one.
  const rangeOf = (lowest: number, highest: number) =>
    hullOf([lowest, Math.min(highest + 1, MAX_TICK)].map((tick) => fixedPriceOfSqrt(getSqrtPriceAtTick(tick), side)))
  const [range, single] = [rangeOf(low, high), rangeOf(middle, middle)]
  const summed = summedMean(observed, now, side, 'its own oracle')
  if (range === null || single === null || summed === null) return null
  const stood = recalled.map(({ liquidity }) => liquidity)
  const [liquidity, leastLiquidity] = [lowerMedian(stood), allButLeast(stood)]
  return { ...summed, ...range, midE18: middleOf(single), liquidity, leastLiquidity }
}

/** Stretches sums to the single moments that lie further off than honest sources differ, since nothing better is known. */
function reachingMoments(
  mean: PoolMean,
  moments: readonly PoolSnapshot[],
  now: PoolSnapshot,
  side: PriceSide,
): PoolMean {
  const reported = moments
    .filter(({ atSeconds }) => now.atSeconds - atSeconds <= longestMeanSeconds)
    .map(({ sqrtPriceX96 }) => fixedPriceOfSqrt(sqrtPriceX96, side))
  const strays = reported.filter((moment) => !overlaps(moment, widenedBy(mean, strayedFactor)))
  const { lowE18, highE18 } = strays.reduce<PriceRange>(reaching, mean)
  return { ...mean, lowE18, highE18 }
}

/** As much as honest sources differ by. */
const strayedFactor = 1.02

/** Seconds that a mean covers at least. */
export const shortestMeanSeconds = 900
/** Seconds; a price from further back says nothing about now. */
export const longestMeanSeconds = 7_200
/** Seconds that a mean should cover, as in Compound's UniswapAnchoredView. */
export const meanSeconds = 1_800
/** Seconds; where the later part of a mean should begin, and how near to the present it may. */
export const laterPartSeconds = 600
const shortestLaterPartSeconds = 300

type Samples = readonly (PoolSample | PoolSnapshot)[]

/** Of pools that sum up. Source: v2 whitepaper 2.2; v3 whitepaper 5.1 to 5.3. */
function summedMean(samples: Samples, now: PoolSnapshot, side: PriceSide, from: MeanSource): PoolMean | null {
  const summed = samples.flatMap((sample) => (sample.sums === null ? [] : [{ ...sample, sums: sample.sums }]))
  const age = ({ atSeconds }: { readonly atSeconds: number }) => now.atSeconds - atSeconds
  const start = nearestTo(meanSeconds, summed, age, shortestMeanSeconds, longestMeanSeconds)
  if (start === null || now.sums === null) return null
  const later = nearestTo(laterPartSeconds, summed, age, shortestLaterPartSeconds, shortestMeanSeconds - 1)
  const end = { ...now, sums: now.sums }
  const points = later === null ? [start, end] : [start, later, end]
  const parts = points.slice(1).map((to, index) => partOf(points[index] ?? start, to, side))
  const whole = partOf(start, end, side)
  const range = hullOf(parts.flatMap((part) => part ?? []))
  if (whole === null || range === null || parts.includes(null)) return null
  const depths = parts.flatMap((part) => part?.liquidity ?? [])
  const moments = [start, ...(later === null ? [] : [later]), now].flatMap(liquidityOf)
  const liquidity = depths.length > 0 ? depths.reduce(larger) : lowerMedian([now, start].flatMap(liquidityOf))
  const leastLiquidity = (depths.length > 0 ? depths : moments).reduce(smaller, liquidity)
  return { ...range, midE18: middleOf(whole), seconds: age(start), liquidity, leastLiquidity, from }
}

type Part = PriceRange & { readonly liquidity: bigint | null }

/** Between two times; `null` where what was summed up makes no sense. */
function partOf(from: PoolSample, to: PoolSample, side: PriceSide): Part | null {
  const seconds = BigInt(to.atSeconds - from.atSeconds)
  if (seconds <= 0n) return null
  if (from.sums.kind === 'ticks' && to.sums.kind === 'ticks') return partOfTicks(from.sums, to.sums, seconds, side)
  if (from.sums.kind === 'prices' && to.sums.kind === 'prices') return partOfPrices(from.sums, to.sums, seconds, side)
  return null
}

/** The price of the mean tick, whole ticks either side; liquidity is its harmonic mean, which one block cannot raise. */
function partOfTicks(from: TickSums, to: TickSums, seconds: bigint, side: PriceSide): Part | null {
  const sum = to.tick - from.tick
  const floor = sum / seconds - (sum % seconds < 0n ? 1n : 0n)
  const ceiling = sum % seconds === 0n ? floor : floor + 1n
  if (floor < BigInt(-MAX_TICK) || ceiling > BigInt(MAX_TICK)) return null
  const ends = [floor, ceiling].map((tick) => fixedPriceOfSqrt(getSqrtPriceAtTick(Number(tick)), side))
  const range = hullOf(ends)
  const growth = BigInt.asUintN(160, to.perLiquidityX128 - from.perLiquidityX128)
  return range === null ? null : { ...range, liquidity: growth === 0n ? 0n : (seconds << 128n) / growth }
}

/**
 * From the harmonic to the arithmetic mean of prices, which the sums of the two directions tell: the first cannot be
 * driven up by a moment, the second not down.
 */
function partOfPrices(from: PriceSums, to: PriceSums, seconds: bigint, side: PriceSide): Part | null {
  const growth0 = BigInt.asUintN(256, to.price0X112 - from.price0X112)
  const growth1 = BigInt.asUintN(256, to.price1X112 - from.price1X112)
  const [ofToken, ofQuote] = side.tokenIs0 ? [growth0, growth1] : [growth1, growth0]
  if (ofToken === 0n || ofQuote === 0n) return null
  const unit = seconds << 112n
  const { lowE18 } = fixedPrice(unit, ofQuote, side)
  const { highE18 } = fixedPrice(ofToken, unit, side)
  // Of a price that stood still, both are the same but for how the pair rounds.
  return lowE18 <= highE18
    ? { lowE18, highE18, liquidity: null }
    : { lowE18: highE18, highE18: lowE18, liquidity: null }
}

/**
 * From the lower to the upper quartile of what stood at single older blocks. The head is none of them: whoever calls the server
 * chooses it.
 */
function momentsMean(older: readonly PoolSnapshot[], now: PoolSnapshot, side: PriceSide): PoolMean | null {
  const ageOf = ({ atSeconds }: PoolSnapshot) => now.atSeconds - atSeconds
  const moments = older.filter((moment) => ageOf(moment) <= longestMeanSeconds)
  const seconds = Math.max(0, ...moments.map(ageOf))
  if (moments.length < fewestMoments || seconds < shortestMeanSeconds) return null
  const roots = moments.map(({ sqrtPriceX96 }) => sqrtPriceX96).toSorted(byAmount)
  const quarter = Math.floor(roots.length / 4)
  const edges = [roots[quarter] ?? 0n, roots[roots.length - 1 - quarter] ?? 0n]
  const range = hullOf(edges.map((root) => fixedPriceOfSqrt(root, side)))
  if (range === null) return null
  const midE18 = middleOf(fixedPriceOfSqrt(lowerMedian(roots), side))
  const stood = moments.map(({ liquidity }) => liquidity)
  const [liquidity, leastLiquidity] = [lowerMedian(stood), allButLeast(stood)]
  return { ...range, midE18, seconds, liquidity, leastLiquidity, from: 'older blocks' }
}

const fewestMoments = 3

function nearestTo<Item>(
  wanted: number,
  items: readonly Item[],
  ageOf: (item: Item) => number,
  least: number,
  most: number,
): Item | null {
  const apt = items.filter((item) => ageOf(item) >= least && ageOf(item) <= most)
  return apt.toSorted((a, b) => Math.abs(ageOf(a) - wanted) - Math.abs(ageOf(b) - wanted))[0] ?? null
}

function liquidityOf(sample: PoolSample | PoolSnapshot): readonly bigint[] {
  return 'liquidity' in sample ? [sample.liquidity] : []
}

function byAmount(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The middle one; of two in the middle the smaller. */
function lowerMedian(values: readonly bigint[]): bigint {
  const sorted = values.toSorted(byAmount)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0n
}

/** The least when a tenth of them are left out: of five or more at least one, since whoever acts now can empty a pool for now. */
function allButLeast(values: readonly bigint[]): bigint {
  const left = values.length < 5 ? 0 : Math.max(1, Math.floor(values.length / 10))
  return values.toSorted(byAmount)[left] ?? 0n
}

function middleOf({ lowE18, highE18 }: PriceRange): bigint {
  return integerSqrt(lowE18 * highE18)
}
