import { type LevelMemory, levelAhead, type LogForecast } from './level-ahead.ts'
import { requireHorizon } from './interval.ts'

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
