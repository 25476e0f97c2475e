import { logReturn, type PriceBounds, type PriceModel, requirePriceBounds, requirePriceModel } from './price-model.ts'
import { shareOfCertainPath } from './stay-in-range-probability.ts'
import { integrate } from './integrate.ts'
import { erfc, scaledErfc } from '../normal/normal.ts'
import { LpMathError } from '../lp-math-error.ts'

/**
 * Expected time, in years for a unit of distance, that a Brownian motion with unit volatility and `drift` spends at a distance from its
 * start until `years`: the integral over t of its density at `distance`, times e^(tilt·distance).
 * Source: integrating exp(-(x - m·t)²/2t)/√(2πt) over t, Borodin and Salminen, Handbook of Brownian Motion (2002), part II, 2.1.2:
 * e^(m·x)·[e^(-|m·x|)·erfc(p - q) - e^(|m·x|)·erfc(p + q)]/2|m|, p = |x|/√(2T), q = |m|·√(T/2).
 */
export function occupationDensity(distance: number, { drift, years, tilt }: OccupationOptions): number {
  const p = Math.abs(distance) / Math.sqrt(2 * years)
  const speed = Math.abs(drift)
  const q = speed * Math.sqrt(years / 2)
  const exponent = tilt * distance
  const gaussian = exponent - (distance - drift * years) ** 2 / (2 * years)
  if (q < SLOW) return Math.exp(gaussian) * Math.sqrt(years / 2) * slowDifference(p, q)
  if (p >= q) return (Math.exp(gaussian) * (scaledErfc(p - q) - scaledErfc(p + q))) / (2 * speed)
  const against = drift * distance < 0 ? 2 * drift * distance : 0
  return (Math.exp(exponent + against) * erfc(p - q) - Math.exp(gaussian) * scaledErfc(p + q)) / (2 * speed)
}

type OccupationOptions = {
  readonly drift: number
  readonly years: number
  readonly tilt: number
}

/** Below it the two terms agree in too many digits, and the difference is taken from its series. */
const SLOW = 1e-3

/** (scaledErfc(p - q) - scaledErfc(p + q))/2q for small q: the odd derivatives of w = scaledErfc, with w' = 2pw - 2/√π. */
function slowDifference(p: number, q: number): number {
  const value = scaledErfc(p)
  const first = 2 * p * value - TWO_OVER_SQRT_PI
  const second = 2 * value + 2 * p * first
  const third = 4 * first + 2 * p * second
  return -first - (q * q * third) / 6
}

const TWO_OVER_SQRT_PI = 1.1283791670955126

/**
 * Where {@link occupationDensity} is smooth on one side of the start (1 above, -1 below), as far as it matters: distances from the start,
 * and the width within which a rule of 16 points integrates it to 1e-14.
 */
export function occupationPieces(side: 1 | -1, { drift, years, tilt }: OccupationOptions): readonly OccupationPiece[] {
  const width = Math.sqrt(years)
  const along = side * drift * years
  // How fast the density falls before the Gaussian edge, which lies where the drift, or the tilted drift, arrives.
  const decay = (along > 0 ? 0 : 2 * Math.abs(drift)) - side * tilt
  const edge = Math.max(0, along, along + side * tilt * years) + REACH * width
  const to = decay > 0 ? Math.min(edge, 40 / decay) : edge
  const knee = Math.min(Math.max(along - REACH * width, 0), to)
  const slope = 5 / Math.abs(decay)
  return [
    { from: 0, to: knee, panelWidth: slope },
    { from: knee, to, panelWidth: Math.min(slope, 3 * width) },
  ]
}

type OccupationPiece = { readonly from: number; readonly to: number; readonly panelWidth: number }

/** In deviations: beyond it lies 1e-15 of a normal distribution. */
const REACH = 8

/**
 * Expected time in years, until the horizon, that a Brownian motion with unit volatility spends between two distances from its start,
 * weighted with e^(tilt·distance). Good to about 1e-12 of the whole: the density is integrated on either side of the start, where it is
 * smooth, as far as it reaches.
 */
export function expectedOccupation(from: number, to: number, options: OccupationOptions): number {
  return sideOccupation(from, to, 1, options) + sideOccupation(-to, -from, -1, options)
}

/** The same on one side of the start, between two distances from it; what is below 0 lies on the other side. */
function sideOccupation(near: number, far: number, side: 1 | -1, options: OccupationOptions): number {
  const density = (distance: number): number => occupationDensity(side * distance, options)
  let sum = 0
  for (const piece of far > 0 ? occupationPieces(side, options) : []) {
    const [from, to] = [Math.max(piece.from, near), Math.min(piece.to, far)]
    if (to > from) sum += integrate(density, from, to, Math.max(Math.ceil((to - from) / piece.panelWidth), 1))
  }
  return sum
}

/**
 * Expected share of the time to the horizon, 0 to 1, that the price spends between the bounds, good to 1e-12.
 * @throws LpMathError on bounds and models that mean nothing.
 */
export function timeInRange(bounds: PriceBounds, model: PriceModel): number {
  requirePriceBounds(bounds)
  requirePriceModel(model)
  const { price, sigma, drift, years } = model
  const [from, to] = [Math.log(bounds.lower / price), Math.log(bounds.upper / price)]
  if (logReturn(model).deviation === 0) return shareOfCertainPath(from, to, drift * years)
  const options = { drift: drift / sigma - sigma / 2, years, tilt: 0 }
  return Math.min(expectedOccupation(from / sigma, to / sigma, options) / years, 1)
}

/**
 * The expected time at each price, tabulated once for a model, so that many ranges cost a look each: {@link timeInRange} and
 * {@link expectedLvr} to 1e-7 of the whole. Between its points the integral is interpolated by cubics that keep its slope.
 * @throws LpMathError on models that mean nothing; what it gives throws on bounds that do.
 */
export function createOccupationTable(model: PriceModel): OccupationTable {
  requirePriceModel(model)
  const { price, sigma, drift, years } = model
  const { deviation } = logReturn(model)
  if (deviation === 0) {
    const share = ({ lower, upper }: PriceBounds): number =>
      shareOfCertainPath(Math.log(lower / price), Math.log(upper / price), drift * years)
    return checked(model, {
      timeShare: share,
      timeShares: (edges) => edges.subarray(1).map((upper, cell) => share({ lower: edges[cell] ?? 0, upper })),
      lvr: () => 0,
    })
  }
  const options = { drift: drift / sigma - sigma / 2, years, tilt: sigma / 2 }
  const points = tabulate(options, Math.ceil(CELLS * Math.max(1, deviation / EVEN_CELLS)))
  // It is all of the time to the horizon but for the error of the table, which this takes out.
  const whole = points.time.integral.at(-1) ?? years
  const distance = (bound: number): number => Math.log(bound / price) / sigma
  const lvrScale = ((sigma * sigma) / 4) * Math.sqrt(price)
  return checked(model, {
    timeShare: ({ lower, upper }) =>
      (at(points, points.time, distance(upper)) - at(points, points.time, distance(lower))) / whole,
    timeShares: (edges) => {
      const before = edges.map((edge) => at(points, points.time, distance(edge)) / whole)
      return before.subarray(1).map((share, cell) => share - (before[cell] ?? 0))
    },
    lvr: ({ lower, upper }) =>
      lvrScale * (at(points, points.tilted, distance(upper)) - at(points, points.tilted, distance(lower))),
  })
}

/** Refuses bounds that mean nothing, as {@link timeInRange} does. */
function checked(model: PriceModel, table: Omit<OccupationTable, 'model'>): OccupationTable {
  return {
    model,
    timeShare(bounds) {
      requirePriceBounds(bounds)
      return table.timeShare(bounds)
    },
    timeShares(edges) {
      requireRising(edges)
      return table.timeShares(edges)
    },
    lvr(bounds) {
      requirePriceBounds(bounds)
      return table.lvr(bounds)
    },
  }
}

/** The expected times of a model at each price, looked up: see {@link createOccupationTable}. */
export type OccupationTable = {
  readonly model: PriceModel
  /**
   * Expected share of the time to the horizon that the price spends between the bounds, 0 to 1.
   * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, as the other two.
   */
  timeShare(bounds: PriceBounds): number
  /** The same between each of many prices and the next, none below the one before. */
  timeShares(edges: Float64Array): Float64Array
  /** Expected loss versus rebalancing to the horizon at liquidity 1, in token1. */
  lvr(bounds: PriceBounds): number
}

/** Equal ones have nothing between them. */
function requireRising(edges: Float64Array): void {
  let before = 0
  for (const edge of edges) {
    if (!(edge >= before))
      throw new LpMathError('PRICE_OUT_OF_RANGE', 'edges are prices of at least 0, none below the one before.')
    before = edge
  }
}

type Column = { readonly integral: Float64Array; readonly density: Float64Array }
type Points = { readonly distance: Float64Array; readonly time: Column; readonly tilted: Column }

function tabulate(options: OccupationOptions, cells: number): Points {
  const distance = distances(options, cells)
  const column = (): Column => ({
    integral: new Float64Array(distance.length),
    density: new Float64Array(distance.length),
  })
  const [time, tilted] = [column(), column()]
  const untilted = { ...options, tilt: 0 }
  const { tilt } = options
  for (let index = 0; index < distance.length; index += 1) {
    const x = distance[index] ?? 0
    const before = distance[index - 1] ?? x
    const density = occupationDensity(x, untilted)
    time.density[index] = density
    tilted.density[index] = density * Math.exp(tilt * x)
    if (index === 0) continue
    const middle = occupationDensity((before + x) / 2, untilted)
    accumulate(time, index, x - before, middle)
    accumulate(tilted, index, x - before, middle * Math.exp((tilt * (before + x)) / 2))
  }
  return { distance, time, tilted }
}

/** Adds a cell by Simpson's rule. */
function accumulate({ integral, density }: Column, index: number, width: number, middle: number): void {
  const ends = (density[index - 1] ?? 0) + (density[index] ?? 0)
  integral[index] = (integral[index - 1] ?? 0) + (width / 6) * (ends + 4 * middle)
}

/** Rising distances from below the start to above it, dense where the density bends. */
function distances(options: OccupationOptions, cells: number): Float64Array {
  const [above, below] = ([1, -1] as const).map((side) => {
    const tilted = occupationPieces(side, options)
    const untilted = occupationPieces(side, { ...options, tilt: 0 })
    const knee = Math.max(tilted[0]?.to ?? 0, untilted[0]?.to ?? 0)
    const end = Math.max(tilted[1]?.to ?? 0, untilted[1]?.to ?? 0)
    const outer = knee > 0 ? evenly(knee, end, cells) : denserAtStart(end, cells)
    return [...evenly(0, knee, cells), ...outer].map((distance) => side * distance)
  })
  return Float64Array.from([...(below ?? []).reverse(), 0, ...(above ?? [])])
}

/** The ends of equal cells, the first start left out. */
function evenly(from: number, to: number, cells: number): number[] {
  return to > from ? Array.from({ length: cells }, (_, index) => from + ((to - from) * (index + 1)) / cells) : []
}

/** Cells from 0 that grow evenly: the density has its kink there. */
function denserAtStart(to: number, cells: number): number[] {
  return evenly(0, 1, cells).map((share) => to * share * share)
}

const CELLS = 320

/** From this deviation of the logarithm on, beyond what any market has in a year, the tilted density takes more cells, evenly more. */
const EVEN_CELLS = 5

/** The integral up to a distance. */
function at({ distance }: Points, { integral, density }: Column, x: number): number {
  const last = distance.length - 1
  if (!(x > (distance[0] ?? 0))) return 0
  if (x >= (distance[last] ?? 0)) return integral[last] ?? 0
  let [low, high] = [0, last]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((distance[middle] ?? 0) <= x) low = middle
    else high = middle
  }
  const [from, to] = [distance[low] ?? 0, distance[high] ?? 0]
  const width = to - from
  const t = (x - from) / width
  const rise = (integral[high] ?? 0) - (integral[low] ?? 0)
  const [start, end] = [width * (density[low] ?? 0), width * (density[high] ?? 0)]
  return (integral[low] ?? 0) + t * (start + t * (3 * rise - 2 * start - end + t * (start + end - 2 * rise)))
}
