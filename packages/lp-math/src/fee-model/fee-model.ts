import type { OccupationTable } from '../closed-form/occupation.ts'
import { type PriceBounds, requirePriceBounds } from '../closed-form/price-model.ts'
import { positionValue } from '../closed-form/position-value.ts'
import { LpMathError } from '../lp-math-error.ts'
import { tenToDecimals } from '../prices/prices.ts'
import type { TickLiquidity } from '../swaps/walk-swap.ts'

/**
 * What a position may earn in fees in a pool whose liquidity differs from price to price.
 *
 * The pool's bands are those between its initialised ticks. The price spends a share of the time in each, in closed form under
 * geometric Brownian motion. A pool in which the price moves trades in proportion to its liquidity there, as a price can only move by
 * trading through what lies in its way; so the fees of a band are taken in proportion to liquidity times time, and scaled so that the
 * pool earns `feesPerDay` over the horizon as a whole. Of each band the position takes the part L/(band + L) that its liquidity is of the
 * sum: it dilutes the others and itself, and brings no trade. Assumed are liquidity that stays where it is, fees at the rate of the
 * past days, and trade that follows the price.
 *
 * Where trade follows nothing but the clock (orders come whatever the depth is), each band earns the same in the same time; that is
 * `steady`, and its distance from `diluted` says how much hangs on the assumption.
 * @throws LpMathError `VALUE_OUT_OF_RANGE` unless `feesPerDay` is finite and at least 0.
 */
export function createFeeModel({ profile, feesPerDay, occupation }: FeeModelOptions): FeeModel {
  requireValue(feesPerDay, 'feesPerDay')
  const { edges, liquidity } = profile
  const shares = occupation.timeShares(edges).map((share, band) => ((liquidity[band] ?? 0) > 0 ? share : 0))
  const meanLiquidity = shares.reduce((sum, share, band) => sum + share * (liquidity[band] ?? 0), 0)
  const covered = shares.reduce((sum, share) => sum + share, 0)
  const feesPerYear = feesPerDay * 365

  return {
    meanLiquidity,
    feesPerYear(bounds, own) {
      requirePriceBounds(bounds)
      requireValue(own, 'own')
      if (!(meanLiquidity > 0) || own === 0) return { diluted: 0, undiluted: 0, steady: 0 }
      const [first, last] = [bandAt(edges, bounds.lower), bandAt(edges, bounds.upper)]
      let [diluted, undiluted, steady] = [0, 0, 0]
      for (let band = first; band <= last; band += 1) {
        const share = band === first || band === last ? shareWithin(band, bounds) : (shares[band] ?? 0)
        const there = liquidity[band] ?? 0
        const apiece = share / (there + own)
        undiluted += share
        diluted += apiece * there
        steady += apiece
      }
      const scale = feesPerYear * own
      return {
        diluted: (scale * diluted) / meanLiquidity,
        undiluted: (scale * undiluted) / meanLiquidity,
        steady: (scale * steady) / covered,
      }
    },
  }

  /** The share of the time that the price spends both in a band that has liquidity and between the bounds. */
  function shareWithin(band: number, { lower, upper }: PriceBounds): number {
    const [from, to] = [Math.max(edges[band] ?? 0, lower), Math.min(edges[band + 1] ?? 0, upper)]
    return (liquidity[band] ?? 0) > 0 && to > from ? occupation.timeShare({ lower: from, upper: to }) : 0
  }
}

/** What {@link createFeeModel} rests on: liquidity at each price, fees a day, and expected times. */
export type FeeModelOptions = {
  readonly profile: LiquidityProfile
  /** What the liquidity providers of the pool earn a day, after the protocol's part, in token1 (or in what the results shall count in). */
  readonly feesPerDay: number
  readonly occupation: OccupationTable
}

/** What a pool pays a position a year, for any range and liquidity. */
export type FeeModel = {
  /** The liquidity of the pool, averaged over the expected time at each price. */
  readonly meanLiquidity: number
  /**
   * What a position of liquidity `own` earns a year between two bounds, in the unit of `feesPerDay`.
   * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `VALUE_OUT_OF_RANGE`.
   */
  feesPerYear(bounds: PriceBounds, own: number): YearlyFees
}

/** Fees a year, in token1. */
export type YearlyFees = {
  /** With the position's own liquidity in the sum. */
  readonly diluted: number
  /** As for a position that is too small to matter. */
  readonly undiluted: number
  /** Diluted, where the pool earns the same in the same time at every price. */
  readonly steady: number
}

/**
 * The liquidity, in whole tokens, that `valueInToken1` buys between two bounds at a price.
 * @throws LpMathError `VALUE_OUT_OF_RANGE`, `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function ownLiquidity(bounds: PriceBounds, price: number, valueInToken1: number): number {
  requireValue(valueInToken1, 'valueInToken1')
  return valueInToken1 / positionValue(bounds, price)
}

/**
 * What a pool earned for its liquidity providers a day, from its fees in each bar, in the money that these are in. Bars whose fees
 * nothing can mean, below nothing or no number, are left out: the others stand for them. `null` where no bar is left.
 */
export function feePace(fees: Float64Array, { barSeconds }: { readonly barSeconds: number }): FeePace | null {
  if (fees.length === 0) return { perDay: 0, ofLast7Days: 0, standardError: null }
  const barsADay = 86_400 / barSeconds
  const perDay = ofDay(fees, barsADay)
  if (perDay === null) return null
  const back = (days: number) => Math.max(0, fees.length - Math.round(days * barsADay))
  const days = Array.from({ length: Math.floor(fees.length / barsADay + 1e-9) }, (_, day) =>
    ofDay(fees.subarray(back(day + 1), back(day)), barsADay),
  ).filter((day) => day !== null)
  return {
    perDay,
    ofLast7Days: ofDay(fees.subarray(back(7)), barsADay) ?? perDay,
    standardError: standardErrorOf(days),
  }
}

/** The fees of a pool a day, and how far days scatter. */
export type FeePace = {
  /** The mean of all bars. */
  readonly perDay: number
  /** The mean of the last 7 days, or of as many as there are. */
  readonly ofLast7Days: number
  /** How far the mean of the days may be off by chance, as if they were independent; `null` below two whole days. */
  readonly standardError: number | null
}

function ofDay(fees: Float64Array, barsADay: number): number | null {
  const known = fees.filter((fee) => fee >= 0 && fee < Number.POSITIVE_INFINITY)
  return known.length === 0 ? null : meanOf(known) * barsADay
}

function standardErrorOf(days: readonly number[]): number | null {
  if (days.length < 2) return null
  const mean = meanOf(days)
  const squares = days.reduce((sum, day) => sum + (day - mean) ** 2, 0)
  return Math.sqrt(squares / (days.length - 1) / days.length)
}

function meanOf(values: Iterable<number> & { readonly length: number }): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** One standard error of the fees a day, as a fraction of them: 1 where nothing tells it, too few days being known or none with fees. */
export function paceError({ perDay, standardError }: FeePace): number {
  return perDay > 0 && standardError !== null ? standardError / perDay : 1
}

/** Refuses what is no amount of money: `VALUE_OUT_OF_RANGE` unless finite and at least 0. `field` names the argument. */
export function requireValue(value: number, field: string): void {
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('VALUE_OUT_OF_RANGE', `${field} is finite and at least 0.`)
  }
}

/**
 * How much liquidity a pool has at each price, from its initialised ticks and the liquidity that is active at its tick. All that goes in is
 * the pool's own, in its order and in smallest units; what comes out counts in whole tokens, and in the order of the caller where
 * `inverted` says that it is the other. Liquidity that is left over past the outermost tick that was given is taken to go on for ever;
 * no ticks at all make a pool of one liquidity everywhere, as in v2.
 * @throws LpMathError `TICKS_UNSORTED`, `TICK_OUT_OF_RANGE` for a tick that is no integer, `LIQUIDITY_OUT_OF_RANGE` where the ticks
 * contradict the active liquidity, `DECIMALS_OUT_OF_RANGE`.
 */
export function liquidityProfile(options: LiquidityProfileOptions): LiquidityProfile {
  const { ticks, tick, inverted, decimals0, decimals1 } = options
  requireTicks(ticks, tick)
  const ten0 = Number(tenToDecimals(decimals0))
  const ten1 = Number(tenToDecimals(decimals1))
  const edges = [0, ...ticks.map((one) => (1.0001 ** one.tick * ten0) / ten1), Number.POSITIVE_INFINITY]
  const scale = Math.sqrt(ten0) * Math.sqrt(ten1)
  const liquidity = bandLiquidity(options).map((raw) => Number(raw) / scale)
  if (!inverted) return { edges: Float64Array.from(edges), liquidity: Float64Array.from(liquidity) }
  return {
    edges: Float64Array.from(edges.map((edge) => 1 / edge).reverse()),
    liquidity: Float64Array.from(liquidity.reverse()),
  }
}

/** A pool's initialised ticks and state, as {@link liquidityProfile} takes them. */
export type LiquidityProfileOptions = {
  /** The initialised ticks, rising. */
  readonly ticks: readonly TickLiquidity[]
  /** The tick that the pool is at. */
  readonly tick: number
  /** The liquidity that is active there. */
  readonly liquidity: bigint
  readonly decimals0: number
  readonly decimals1: number
  readonly inverted: boolean
}

/** Bands of prices and their liquidity; `liquidity[i]` lies between `edges[i]` and `edges[i + 1]`, which run from 0 to Infinity. */
export type LiquidityProfile = { readonly edges: Float64Array; readonly liquidity: Float64Array }

/** The band in which a price lies; the last one for Infinity. */
export function bandAt(edges: Float64Array, price: number): number {
  let [low, high] = [0, edges.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((edges[middle] ?? 0) <= price) low = middle
    else high = middle
  }
  return low
}

/** Band 0 lies below the first tick. */
function bandLiquidity({ ticks, tick, liquidity }: LiquidityProfileOptions): bigint[] {
  const current = ticks.filter((one) => one.tick <= tick).length
  const bands = Array.from({ length: ticks.length + 1 }, () => liquidity)
  for (let band = current + 1; band < bands.length; band += 1) {
    bands[band] = (bands[band - 1] ?? 0n) + (ticks[band - 1]?.liquidityNet ?? 0n)
  }
  for (let band = current - 1; band >= 0; band -= 1) {
    bands[band] = (bands[band + 1] ?? 0n) - (ticks[band]?.liquidityNet ?? 0n)
  }
  if (bands.some((one) => one < 0n)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'liquidity and ticks belong together: no band has less than none.')
  }
  return bands
}

function requireTicks(ticks: readonly TickLiquidity[], tick: number): void {
  if (!Number.isInteger(tick)) throw new LpMathError('TICK_OUT_OF_RANGE', 'tick is an integer.')
  let previous = Number.NEGATIVE_INFINITY
  for (const one of ticks) {
    if (!Number.isInteger(one.tick)) throw new LpMathError('TICK_OUT_OF_RANGE', 'Each of ticks is an integer.')
    if (one.tick <= previous) throw new LpMathError('TICKS_UNSORTED', 'The ticks are in rising order, each once.')
    previous = one.tick
  }
}
