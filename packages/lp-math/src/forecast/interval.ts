import { LpMathError } from '../lp-math-error.ts'
import { inverseNormalCdf, studentDeviate } from '../normal/inverse-normal-cdf.ts'
import type { LogForecast } from './level-ahead.ts'

/** What lies ahead is to be found between `low68` and `high68` in 68 of 100 cases, and between the outer two in 95. */
export type Interval = {
  readonly low95: number
  readonly low68: number
  readonly high68: number
  readonly high95: number
}

/** The interval of what a forecast is the logarithm of. */
export function intervalOf(forecast: LogForecast): Interval {
  const at = (probability: number) => Math.exp(quantileOf(forecast, inverseNormalCdf(probability)))
  return { low95: at(0.025), low68: at(0.16), high68: at(0.84), high95: at(0.975) }
}

/** The forecast of so many times as much. */
export function timesForecast(forecast: LogForecast, factor: number): LogForecast {
  return { ...forecast, location: forecast.location + Math.log(factor) }
}

/** What a forecast stays below as often as a standard normal number stays below `normal`. */
export function quantileOf({ location, scale, freedom }: LogForecast, normal: number): number {
  return location + scale * studentDeviate(normal, freedom)
}

/** The interval of numbers that were drawn, which are sorted. */
export function intervalOfDraws(draws: Float64Array): Interval {
  const sorted = draws.toSorted()
  const at = (share: number) => {
    const rank = share * (sorted.length - 1)
    const low = sorted[Math.floor(rank)] ?? 0
    return low + ((sorted[Math.ceil(rank)] ?? low) - low) * (rank - Math.floor(rank))
  }
  return { low95: at(0.025), low68: at(0.16), high68: at(0.84), high95: at(0.975) }
}

/** `YEARS_OUT_OF_RANGE` unless above 0 and at most ten years. */
export function requireHorizon(horizonDays: number): void {
  if (horizonDays > 0 && horizonDays <= mostDays) return
  throw new LpMathError('YEARS_OUT_OF_RANGE', 'horizonDays is above 0 and at most 3650.')
}

const mostDays = 3_650
