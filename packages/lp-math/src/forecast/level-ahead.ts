import { LpMathError } from '../lp-math-error.ts'
import { inverseNormalCdf, studentDeviate } from '../normal/normal.ts'
import type { EquityPoint } from '../backtest/strategy-result.ts'

/**
 * Forecasts the mean of a positive quantity (fees a day, variance a day) over the days ahead from what it was, as a logarithm.
 *
 * The logarithm is taken for a level that is unknown, a slow and a fast deviation from it that are forgotten by half in `slowDays` and
 * `fastDays`, and what belongs to one day alone. With these correlations, which are the same for every pool, the mean ahead is the best
 * linear forecast of what was seen (generalised least squares with an unknown mean, "ordinary kriging": Cressie, "Statistics for
 * Spatial Data", 1993, 3.2), so that age, gaps and horizon follow from the days alone. How much the quantity scatters is the pool's own
 * where it was seen long, and else what is usual: `usualCount` values of `usualVariance` count beside those seen. The error is Student's t.
 *
 * @param seen - at least one
 * @param horizonDays - above 0
 */
export function levelAhead(seen: readonly SeenLevel[], horizonDays: number, memory: LevelMemory): LogForecast {
  const days = seen.filter(({ ageDays }) => ageDays <= mostDays)
  const { solved, deviance } = fitted(days, memory)
  const ahead = days.map(({ ageDays }) => covarianceAhead(ageDays, horizonDays, memory))
  const weights = solved(Float64Array.from(ahead))
  const ones = solved(new Float64Array(days.length).fill(1))
  const total = sumOf(ones)
  const left = 1 - sumOf(weights)
  const logs = Float64Array.from(days, ({ log }) => log)
  const mean = dot(ones, logs) / total
  const spread = varianceAhead(horizonDays, memory)
  const ofLevel = Math.max(spread - dot(weights, Float64Array.from(ahead)) + left ** 2 / total, 0)
  const variance =
    (memory.usualCount * memory.usualVariance + deviance) / (memory.usualCount + Math.max(days.length - 1, 0))
  const within = 1 + memory.fastShare + memory.dayShare - spread
  return {
    location: dot(weights, logs) + left * mean + (memory.convexity * variance * within) / 2,
    scale: memory.widening * Math.sqrt(variance * (ofLevel + memory.dayShare * Math.min(1 / horizonDays, partsOfDay))),
    freedom: memory.freedom,
  }
}

export type SeenLevel = {
  /** From the middle of the time that it is of to now. */
  readonly ageDays: number
  readonly log: number
  /** Variance of its own error, in units of the slow deviation's. */
  readonly noise: number
}

/** What is the same for all pools; shares are of the variance of the slow deviation. */
export type LevelMemory = {
  readonly slowDays: number
  readonly fastDays: number
  readonly fastShare: number
  /** Of what belongs to one day alone. */
  readonly dayShare: number
  readonly usualVariance: number
  readonly usualCount: number
  /** Of Student's t. */
  readonly freedom: number
  /** For what these correlations leave out: switches, and levels that come to stay. */
  readonly widening: number
  /** By how much of half the variance within the horizon the logarithm of a mean lies above the mean of logarithms. */
  readonly convexity: number
}

/** The logarithm of what is to come: location, scale and degrees of freedom of Student's t. */
export type LogForecast = { readonly location: number; readonly scale: number; readonly freedom: number }

/** What is older tells nothing more. */
const mostDays = 120
/** Within a day hours follow each other as days do: no horizon is noisier than a quarter of a day. */
const partsOfDay = 4

function covariance(lagDays: number, { slowDays, fastDays, fastShare }: LevelMemory): number {
  return 0.5 ** (lagDays / slowDays) + fastShare * 0.5 ** (lagDays / fastDays)
}

/** Of a value and the mean over the horizon. */
function covarianceAhead(ageDays: number, horizonDays: number, { slowDays, fastDays, fastShare }: LevelMemory): number {
  const mean = (halfLife: number) => {
    const decay = Math.LN2 / halfLife
    return (-Math.exp(-decay * ageDays) * Math.expm1(-decay * horizonDays)) / (decay * horizonDays)
  }
  return mean(slowDays) + fastShare * mean(fastDays)
}

/** Of the mean over the horizon. */
function varianceAhead(horizonDays: number, { slowDays, fastDays, fastShare }: LevelMemory): number {
  const mean = (halfLife: number) => {
    const decays = (Math.LN2 / halfLife) * horizonDays
    return decays < 1e-4 ? 1 - decays / 3 : (2 * (decays + Math.expm1(-decays))) / decays ** 2
  }
  return mean(slowDays) + fastShare * mean(fastDays)
}

/** What solves the equations of the covariances of what was seen, and how far that lies off its mean, in their measure. */
function fitted(days: readonly SeenLevel[], memory: LevelMemory) {
  const size = days.length
  const root = new Float64Array(size * size)
  for (const [row, one] of days.entries()) {
    for (const [column, other] of days.slice(0, row + 1).entries()) {
      let left = covariance(Math.abs(one.ageDays - other.ageDays), memory) + (row === column ? one.noise : 0)
      for (let k = 0; k < column; k += 1) left -= (root[row * size + k] ?? 0) * (root[column * size + k] ?? 0)
      root[row * size + column] = row === column ? Math.sqrt(left) : left / (root[column * size + column] ?? 1)
    }
  }
  const solved = (values: Float64Array) => backward(root, forward(root, values))
  const logs = Float64Array.from(days, ({ log }) => log)
  const ones = solved(new Float64Array(size).fill(1))
  const off = logs.map((log) => log - dot(ones, logs) / sumOf(ones))
  return { solved, deviance: dot(off, solved(off)) }
}

function forward(root: Float64Array, values: Float64Array): Float64Array {
  const size = values.length
  const result = Float64Array.from(values)
  for (let row = 0; row < size; row += 1) {
    let left = result[row] ?? 0
    for (let k = 0; k < row; k += 1) left -= (root[row * size + k] ?? 0) * (result[k] ?? 0)
    result[row] = left / (root[row * size + row] ?? 1)
  }
  return result
}

function backward(root: Float64Array, values: Float64Array): Float64Array {
  const size = values.length
  const result = Float64Array.from(values)
  for (let row = size - 1; row >= 0; row -= 1) {
    let left = result[row] ?? 0
    for (let k = row + 1; k < size; k += 1) left -= (root[k * size + row] ?? 0) * (result[k] ?? 0)
    result[row] = left / (root[row * size + row] ?? 1)
  }
  return result
}

function dot(one: Float64Array, other: Float64Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

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
  if (horizonDays > 0 && horizonDays <= longestDays) return
  throw new LpMathError('YEARS_OUT_OF_RANGE', 'horizonDays is above 0 and at most 3650.')
}

const longestDays = 3_650

/**
 * By how much a strategy is to lead another over as many days to come as were replayed, in dollars, from what both were worth every day:
 * half of its lead, as the one that led is likelier to have been lucky, give or take what sums of as many daily changes of the lead scatter
 * by, both in the past and ahead. Student's t of 3 stands for days that are unlike each other. `null` below 7 whole days.
 */
export function leadAhead(best: readonly EquityPoint[], second: readonly EquityPoint[]): Interval | null {
  const whole = best.filter(({ at }) => (at - (best[0]?.at ?? at)) % 86_400 === 0).length
  const leads = best.slice(0, whole).map(({ valueUsd }, day) => valueUsd - (second[day]?.valueUsd ?? valueUsd))
  const changes = leads.slice(1).map((lead, day) => lead - (leads[day] ?? lead))
  const days = changes.length
  if (days < leastDays) return null
  const mean = changes.reduce((sum, change) => sum + change, 0) / days
  const squares = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0)
  const scatter = narrowing * Math.sqrt((2 * days * squares) / (days - 1))
  const at = (probability: number) =>
    (mean * days) / 2 + scatter * studentDeviate(inverseNormalCdf(probability), freedom)
  return { low95: at(0.025), low68: at(0.16), high68: at(0.84), high95: at(0.975) }
}

const leastDays = 7
/** Found on drawn pools, as `docs/decisions/0046-forecast-intervals.md` says; the scale of a t of few degrees is less than its deviation. */
const freedom = 3
const narrowing = 0.88
