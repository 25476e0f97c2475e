import { LpMathError } from '../lp-math-error.ts'
/**
 * What a pool earned for its liquidity providers a day, from its fees in each bar, in the money that these are in. Bars whose fees
 * nothing can mean, below nothing or no number, are left out: the others stand for them. `null` where no bar is left.
 */
export function feePace(fees: Float64Array, { barSeconds }: { readonly barSeconds: number }): FeePace | null {
  if (fees.length === 0) return { perDay: 0, ofLast7Days: 0, standardError: null }
  const barsADay = 86_400 / barSeconds
  const perDay = ofDay(fees, barsADay)
  if (perDay === null) return null
  const back = (days: number) => Math.max(0, fees.length - Math.round(days * barsADay))
  const days = Array.from({ length: Math.floor(fees.length / barsADay + 1e-9) }, (_, day) =>
    ofDay(fees.subarray(back(day + 1), back(day)), barsADay),
  ).filter((day) => day !== null)
  return {
    perDay,
    ofLast7Days: ofDay(fees.subarray(back(7)), barsADay) ?? perDay,
    standardError: standardErrorOf(days),
  }
}

/** The fees of a pool a day, and how far days scatter. */
export type FeePace = {
  /** The mean of all bars. */
  readonly perDay: number
  /** The mean of the last 7 days, or of as many as there are. */
  readonly ofLast7Days: number
  /** How far the mean of the days may be off by chance, as if they were independent; `null` below two whole days. */
  readonly standardError: number | null
}

function ofDay(fees: Float64Array, barsADay: number): number | null {
  const known = fees.filter((fee) => fee >= 0 && fee < Number.POSITIVE_INFINITY)
  return known.length === 0 ? null : meanOf(known) * barsADay
}

function standardErrorOf(days: readonly number[]): number | null {
  if (days.length < 2) return null
  const mean = meanOf(days)
  const squares = days.reduce((sum, day) => sum + (day - mean) ** 2, 0)
  return Math.sqrt(squares / (days.length - 1) / days.length)
}

function meanOf(values: Iterable<number> & { readonly length: number }): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** One standard error of the fees a day, as a fraction of them: 1 where nothing tells it, too few days being known or none with fees. */
export function paceError({ perDay, standardError }: FeePace): number {
  return perDay > 0 && standardError !== null ? standardError / perDay : 1
}

/** Refuses what is no amount of money: `VALUE_OUT_OF_RANGE` unless finite and at least 0. `field` names the argument. */
export function requireValue(value: number, field: string): void {
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('VALUE_OUT_OF_RANGE', `${field} is finite and at least 0.`)
  }
}
