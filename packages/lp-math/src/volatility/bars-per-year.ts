import { LpMathError } from '../lp-math-error.ts'

/** Bars of a year of 365 days. @throws LpMathError `YEARS_OUT_OF_RANGE` for bars of no time or above a year. */
export function barsPerYear(barSeconds: number): number {
  if (!(barSeconds > 0 && barSeconds <= SECONDS_OF_YEAR)) {
    throw new LpMathError('YEARS_OUT_OF_RANGE', 'barSeconds is above 0 and at most a year.')
  }
  return SECONDS_OF_YEAR / barSeconds
}

const SECONDS_OF_YEAR = 365 * 86_400
