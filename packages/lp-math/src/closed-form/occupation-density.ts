import { logReturn, type PriceBounds, type PriceModel, requirePriceBounds, requirePriceModel } from './price-model.ts'
import { shareOfCertainPath } from './stay-in-range-probability.ts'
import { integrate } from './integrate.ts'
import { erfc, scaledErfc } from '../normal/normal.ts'

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

export type OccupationOptions = {
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
