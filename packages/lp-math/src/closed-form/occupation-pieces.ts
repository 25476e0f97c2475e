import type { OccupationOptions } from './occupation-density.ts'

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

export type OccupationPiece = { readonly from: number; readonly to: number; readonly panelWidth: number }

/** In deviations: beyond it lies 1e-15 of a normal distribution. */
const REACH = 8
