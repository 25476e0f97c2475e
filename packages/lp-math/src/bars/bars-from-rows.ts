import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK, MIN_TICK } from '../ticks/ticks.ts'
import { type Bars, createBars } from './bars.ts'

/**
 * Bars from rows as a source tells them: oldest first, on one grid of `barSeconds` that the first row begins, holes allowed. A hole
 * becomes bars without a trade at the close and liquidity before it, but above a year it is refused. Where a row's open or close lies outside its low and high, as
 * sources that round them apart have it, the span is widened to hold both. Both repairs are counted.
 * @throws LpMathError `BARS_MALFORMED`, naming the row and the field.
 */
export function barsFromRows(rows: readonly BarRow[], barSeconds: number): BarsFromRows {
  if (!Number.isFinite(barSeconds) || barSeconds <= 0) throw malformed('barSeconds is a finite number above 0.')
  const first = rows[0]
  const last = rows.at(-1)
  if (first === undefined || last === undefined) throw malformed('rows holds at least one row.')
  requireRising(rows)
  const positions = rows.map((row, index) => positionOf(row, index, first.startsAt, barSeconds))
  requireNoYearWithout(positions, barSeconds)
  const count = (positions.at(-1) ?? 0) + 1
  if (count > MOST_BARS) throw malformed(`rows span more than ${MOST_BARS} bars.`)
  const withFeeGrowth = first.feeGrowth0 !== undefined
  const bars = createBars(count, barSeconds, first.startsAt, withFeeGrowth)
  let widenedBars = 0
  for (const [index, row] of rows.entries()) {
    const from = positions[index] ?? 0
    if (copyRow(bars, from, row, `rows[${index}]`)) widenedBars += 1
    for (let bar = from + 1; bar < (positions[index + 1] ?? count); bar++) stand(bars, bar, row)
  }
  return { bars, filledBars: count - rows.length, widenedBars }
}

/** One bar as a source tells it. Units as in `Bars`; fee growth in all rows or in none. */
export type BarRow = {
  readonly startsAt: number
  readonly openTick: number
  readonly lowTick: number
  readonly highTick: number
  readonly closeTick: number
  readonly amount0In: number
  readonly amount1In: number
  readonly liquidity: number
  readonly feeGrowth0?: number
  readonly feeGrowth1?: number
}

/** `filledBars` stand in holes of the rows; `widenedBars` had an open or a close outside their low and high. */
export type BarsFromRows = { readonly bars: Bars; readonly filledBars: number; readonly widenedBars: number }

/** Nineteen years of minutes: beyond that a time is wrong rather than far away. */
const MOST_BARS = 10_000_000
const SECONDS_OF_YEAR = 365 * 86_400

function positionOf(row: BarRow, index: number, origin: number, barSeconds: number): number {
  const position = Math.round((row.startsAt - origin) / barSeconds)
  if (!(Math.abs(origin + position * barSeconds - row.startsAt) <= 1e-6 * barSeconds)) {
    throw malformed(`rows[${index}].startsAt is a whole number of bars of ${barSeconds} s after the first row.`)
  }
  return position
}

function requireRising(rows: readonly BarRow[]): void {
  for (let index = 1; index < rows.length; index++) {
    if (!((rows[index]?.startsAt ?? 0) > (rows[index - 1]?.startsAt ?? 0))) {
      throw malformed(`rows[${index}].startsAt is not later than that of the row before it: rows stand oldest first.`)
    }
  }
}

function requireNoYearWithout(positions: readonly number[], barSeconds: number): void {
  for (let index = 1; index < positions.length; index++) {
    if (((positions[index] ?? 0) - (positions[index - 1] ?? 0) - 1) * barSeconds > SECONDS_OF_YEAR) {
      throw malformed(`rows[${index}].startsAt is at most a year after the row before it.`)
    }
  }
}

function copyRow(bars: Bars, bar: number, row: BarRow, name: string): boolean {
  checkFields(row, name)
  const ends = [row.openTick, row.closeTick]
  if (row.lowTick > row.highTick) throw malformed(`${name}.lowTick is not above highTick.`)
  if ((row.feeGrowth0 === undefined) !== (bars.feeGrowth === null)) {
    throw malformed(`${name}.feeGrowth0 is in all rows or in none.`)
  }
  if ((row.feeGrowth0 === undefined) !== (row.feeGrowth1 === undefined)) {
    throw malformed(`${name}.feeGrowth1 is given when feeGrowth0 is.`)
  }
  bars.openTick[bar] = row.openTick
  bars.lowTick[bar] = Math.min(row.lowTick, ...ends)
  bars.highTick[bar] = Math.max(row.highTick, ...ends)
  bars.closeTick[bar] = row.closeTick
  bars.amount0In[bar] = row.amount0In
  bars.amount1In[bar] = row.amount1In
  bars.liquidity[bar] = row.liquidity
  if (bars.feeGrowth !== null) {
    bars.feeGrowth.token0[bar] = row.feeGrowth0 ?? 0
    bars.feeGrowth.token1[bar] = row.feeGrowth1 ?? 0
  }
  return Math.min(...ends) < row.lowTick || Math.max(...ends) > row.highTick
}

function checkFields(row: BarRow, name: string): void {
  for (const [field, value] of Object.entries(row)) {
    if (field.endsWith('Tick')) {
      if (!(value >= MIN_TICK && value <= MAX_TICK))
        throw malformed(`${name}.${field} is within ${MIN_TICK} and ${MAX_TICK}.`)
    } else if (!(value >= 0 && value < Infinity)) throw malformed(`${name}.${field} is finite and at least 0.`)
  }
}

/** A bar in which nothing happened after `row`. */
function stand(bars: Bars, bar: number, row: BarRow): void {
  for (const ticks of [bars.openTick, bars.lowTick, bars.highTick, bars.closeTick]) ticks[bar] = row.closeTick
  bars.liquidity[bar] = row.liquidity
}

function malformed(message: string): LpMathError {
  return new LpMathError('BARS_MALFORMED', message)
}
