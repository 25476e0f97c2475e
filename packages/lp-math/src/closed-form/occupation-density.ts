import { erfc } from '../normal/erfc.ts'
import { scaledErfc } from '../normal/scaled-erfc.ts'

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
