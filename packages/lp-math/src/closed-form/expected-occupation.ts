import { integrate } from './integrate.ts'
import { type OccupationOptions, occupationDensity } from './occupation-density.ts'

/**
 * Expected time in years, until the horizon, that a Brownian motion with unit volatility spends between two distances from its start,
 * weighted with e^(tilt·distance). Good to about 1e-12 of the whole: the density is integrated on either side of the start, where it is
 * smooth, as far as it reaches.
 */
export function expectedOccupation(from: number, to: number, options: OccupationOptions): number {
  const above = to > 0 ? sideOccupation(Math.max(from, 0), to, 1, options) : 0
  const below = from < 0 ? sideOccupation(Math.max(-to, 0), -from, -1, options) : 0
  return above + below
}

/** The same on one side of the start, between two distances from it of at least 0. */
function sideOccupation(near: number, far: number, side: number, options: OccupationOptions): number {
  const { drift, years, tilt } = options
  const width = Math.sqrt(years)
  const along = side * drift * years
  // How fast the density falls before the Gaussian edge, which lies where the drift, or the tilted drift, arrives.
  const decay = (along > 0 ? 0 : 2 * Math.abs(drift)) - side * tilt
  const edge = Math.max(0, along, along + side * tilt * years) + REACH * width
  const end = Math.min(far, decay > 0 ? Math.min(edge, 40 / decay) : edge)
  const knee = Math.min(Math.max(along - REACH * width, near), end)
  const density = (distance: number): number => occupationDensity(side * distance, options)
  const slope = 5 / Math.abs(decay)
  return piece(density, near, knee, slope) + piece(density, Math.max(knee, near), end, Math.min(slope, 3 * width))
}

function piece(density: (distance: number) => number, from: number, to: number, panelWidth: number): number {
  return to > from ? integrate(density, from, to, Math.max(Math.ceil((to - from) / panelWidth), 1)) : 0
}

/** In deviations: beyond it lies 1e-15 of a normal distribution. */
const REACH = 8
