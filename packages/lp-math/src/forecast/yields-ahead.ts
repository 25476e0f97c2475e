import type { PriceBounds, PriceModel } from '../closed-form/price-model.ts'
import { ownLiquidity, bandAt, type LiquidityProfile } from '../fee-model/fee-model.ts'
import { createRandom } from '../random/create-random.ts'
import {
  type Interval,
  intervalOfDraws,
  quantileOf,
  type LogForecast,
  type LevelMemory,
  levelAhead,
  requireHorizon,
} from './level-ahead.ts'

/**
 * What positions may bring until the horizon: fees and net yield in each of a thousand futures. A future is a volatility and fees of the
 * pool, drawn from their forecasts with the correlation that their errors have, and one path of the price at that volatility. Of the fees
 * a position has its part by liquidity where the path goes, in every second future by time alone, as nobody knows whether trade follows
 * the depth or the clock; LVR is that of the path, and the volatility drawn. The same seed gives the same futures. Calls `between` after
 * some of them.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `SEED_OUT_OF_RANGE`.
 */
export function yieldsAhead(
  ranges: readonly PriceBounds[],
  outlook: YieldOutlook,
  between: () => void = () => {},
): YieldDraws[] {
  const { model, value, gasApr, seed, tier = 0 } = outlook
  const common = createRandom(seed, 0)
  const own = createRandom(seed, tier + 1)
  const positions = ranges.map((bounds) => ({ bounds, liquidity: ownLiquidity(bounds, model.price, value) }))
  const draws = ranges.map(() => ({ feeApr: new Float64Array(futures), netApr: new Float64Array(futures) }))
  const path = createPath(outlook)
  for (let future = 0; future < futures; future += 1) {
    if (future % portion === 0) between()
    const ofVolatility = common.normal()
    const ofPair = common.normal()
    const ofTier = Math.sqrt(pairShare) * ofPair + Math.sqrt(1 - pairShare) * own.normal()
    const ofFees = correlation * ofVolatility + Math.sqrt(1 - correlation ** 2) * ofTier
    const feesPerYear = 365 * Math.exp(quantileOf(outlook.fees, ofFees))
    const sigma = sigmaOf(outlook, ofVolatility)
    path.draw(sigma, () => common.normal())
    for (const [index, { bounds, liquidity }] of positions.entries()) {
      const { feeShare, meanRoot } = path.sharesOf(bounds, liquidity, future % 2 === 0)
      const feeApr = (100 * feesPerYear * feeShare) / value
      const lvrApr = (25 * sigma ** 2 * liquidity * meanRoot) / value
      const of = draws[index]
      if (of === undefined) continue
      of.feeApr[future] = feeApr
      of.netApr[future] = feeApr - lvrApr - gasApr
    }
  }
  return draws
}

/** A market, an amount, and the forecasts of its volatility and its fees. */
export type YieldOutlook = {
  readonly model: PriceModel
  readonly profile: LiquidityProfile
  /** What is put in, in token1. */
  readonly value: number
  /** Percent a year. */
  readonly gasApr: number
  /** Of the fees of the pool a day, in token1, over the horizon. */
  readonly fees: LogForecast
  /** `null` where nothing tells it: then that of the model, for certain. */
  readonly volatility: LogForecast | null
  readonly seed: number
  /** Pools of one pair with the same seed meet the same prices; what is a pool's own in its fees follows from this number. */
  readonly tier?: number
}

/** In percent a year, future by future. */
export type YieldDraws = { readonly feeApr: Float64Array; readonly netApr: Float64Array }

/** Where the fees and the net yield of each range lie in 68 and in 95 of 100 futures. */
export function yieldIntervals(...args: Parameters<typeof yieldsAhead>): YieldIntervals[] {
  return yieldsAhead(...args).map(({ feeApr, netApr }) => ({
    feeApr: intervalOfDraws(feeApr),
    netApr: intervalOfDraws(netApr),
  }))
}

/** Where the yields of a range are to be found, in percent a year. */
export type YieldIntervals = { readonly feeApr: Interval; readonly netApr: Interval }

const futures = 1_024
/** A fraction of a millisecond. */
const portion = 64
const steps = 32
/** Of the errors of the forecasts of volatility and of fees, in days of much movement there being much trade. */
const correlation = 0.45
/** What of the rest the pools of one pair have in common. */
const pairShare = 0.84

function sigmaOf({ model, volatility }: YieldOutlook, normal: number): number {
  return volatility === null ? model.sigma : Math.min(Math.exp(quantileOf(volatility, normal)), highest)
}

/** 1,000 % a year: what the formulas hold. */
const highest = 10

/** A path of the price, and what a position has of it. */
function createPath({ model, profile }: YieldOutlook) {
  const { price, years } = model
  const prices = new Float64Array(steps)
  const roots = new Float64Array(steps)
  const depths = new Float64Array(steps)
  let [depth, traded] = [0, 0]
  return {
    /** Prices in the middle of equal times to the horizon. */
    draw(sigma: number, normal: () => number): void {
      const step = years / steps
      let log = 0
      ;[depth, traded] = [0, 0]
      for (let index = 0; index < steps; index += 1) {
        const time = index === 0 ? step / 2 : step
        log += sigma * Math.sqrt(time) * normal() - (sigma ** 2 / 2) * time
        const at = price * Math.exp(log)
        const there = profile.liquidity[bandAt(profile.edges, at)] ?? 0
        prices[index] = at
        roots[index] = Math.sqrt(at)
        depths[index] = there
        depth += there
        if (there > 0) traded += 1
      }
    },
    sharesOf({ lower, upper }: PriceBounds, liquidity: number, followsDepth: boolean) {
      let [share, root] = [0, 0]
      for (let index = 0; index < steps; index += 1) {
        const at = prices[index] ?? 0
        if (!(at >= lower && at < upper)) continue
        const there = depths[index] ?? 0
        root += roots[index] ?? 0
        if (there > 0) share += ((followsDepth ? there : 1) * liquidity) / (there + liquidity)
      }
      const whole = followsDepth ? depth : traded
      return { feeShare: whole > 0 ? share / whole : 0, meanRoot: root / steps }
    },
  }
}

/**
 * What a pool is to earn a day, as the mean over the days ahead, from its fees in each bar: in the logarithm and in the money that these
 * are in. Bars whose fees nothing can mean are left out, and whole days of such. A day below `leastShare` of the mean counts as that much.
 * `null` where no bar is left, or none earned anything.
 * @throws LpMathError `YEARS_OUT_OF_RANGE` unless the horizon is above 0 and at most ten years.
 */
export function feesAhead(fees: Float64Array, { barSeconds, horizonDays }: FeesAheadOptions): LogForecast | null {
  requireHorizon(horizonDays)
  const days = daysOf(fees, Math.max(1, Math.round(86_400 / barSeconds)), barSeconds)
  const mean = days.reduce((sum, { perDay }) => sum + perDay, 0) / days.length
  if (!(mean > 0)) return null
  return levelAhead(
    days.map(({ perDay, ageDays, spanDays }) => ({
      ageDays,
      log: Math.log(Math.max(perDay, leastShare * mean)),
      noise: feeMemory.dayShare / Math.min(spanDays, 1),
    })),
    horizonDays,
    feeMemory,
  )
}

/** How long the bars of past fees are, and how many days ahead are asked about. */
export type FeesAheadOptions = { readonly barSeconds: number; readonly horizonDays: number }

/** Found on drawn pools and on the first years of two real ones: `docs/decisions/0046-forecast-intervals.md`. */
const feeMemory: LevelMemory = {
  slowDays: 125,
  fastDays: 6.4,
  fastShare: 0.3,
  dayShare: 0.3,
  usualVariance: 0.54,
  usualCount: 10,
  freedom: 6,
  widening: 1.07,
  convexity: 1,
}

/** A day that hardly saw trade would else count for more than all others. */
const leastShare = 0.23

/** Whole days back from the last bar; of less than one, what there is. */
function daysOf(fees: Float64Array, barsADay: number, barSeconds: number) {
  const barDays = barSeconds / 86_400
  const count = Math.min(Math.max(1, Math.floor(fees.length / barsADay)), 120)
  return Array.from({ length: count }, (_, day) => {
    const end = fees.length - day * barsADay
    const known = fees.subarray(Math.max(0, end - barsADay), end).filter((fee) => fee >= 0 && fee < Infinity)
    const spanDays = known.length * barDays
    const sum = known.reduce((total, fee) => total + fee, 0)
    return { perDay: sum / spanDays, ageDays: (day + 0.5) * barsADay * barDays, spanDays }
  }).filter(({ spanDays }) => spanDays > 0)
}
