import { integrate } from './integrate.ts'
import { type OccupationOptions, occupationDensity } from './occupation-density.ts'
import { occupationPieces } from './occupation-pieces.ts'

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
