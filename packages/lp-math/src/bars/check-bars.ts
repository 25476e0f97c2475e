import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK, MIN_TICK } from '../ticks/ticks.ts'
import type { Bars } from './bars.ts'

/**
 * Refuses bars that break the form of `Bars`: columns of unequal length, starts that are not `barSeconds` apart, ticks outside the
 * pool's or a low above its high, amounts, liquidity or fee growth that are negative
 * or not finite.
 * @throws LpMathError `BARS_MALFORMED`, naming the column and the bar.
 */
export function checkBars(bars: Bars): void {
  const count = bars.startsAt.length
  if (!Number.isFinite(bars.barSeconds) || bars.barSeconds <= 0)
    throw malformed('barSeconds', 'is a finite number above 0')
  if (count === 0) throw malformed('startsAt', 'holds at least one bar')
  for (const [name, column] of columnsOf(bars)) {
    if (column.length !== count) throw malformed(name, `has as many entries as startsAt, ${count}`)
  }
  for (let bar = 0; bar < count; bar++) checkTimes(bars, bar)
  for (const [name, column] of columnsOf(bars)) {
    if (TICKS.has(name)) checkColumn(name, column, MIN_TICK, MAX_TICK)
    else checkColumn(name, column, 0, Number.MAX_VALUE)
  }
  for (let bar = 0; bar < count; bar++) checkSpan(bars, bar)
}

const TICKS: ReadonlySet<string> = new Set(['openTick', 'lowTick', 'highTick', 'closeTick'])

function columnsOf(bars: Bars): (readonly [name: string, column: Float64Array])[] {
  const { openTick, lowTick, highTick, closeTick, amount0In, amount1In, liquidity, feeGrowth } = bars
  const columns = { openTick, lowTick, highTick, closeTick, amount0In, amount1In, liquidity }
  if (feeGrowth === null) return Object.entries(columns)
  return Object.entries({ ...columns, 'feeGrowth.token0': feeGrowth.token0, 'feeGrowth.token1': feeGrowth.token1 })
}

function checkTimes(bars: Bars, bar: number): void {
  const startsAt = bars.startsAt[bar] ?? Number.NaN
  const expected = (bars.startsAt[0] ?? Number.NaN) + bar * bars.barSeconds
  if (!Number.isFinite(startsAt)) throw malformed(`startsAt[${bar}]`, 'is a finite number of seconds')
  if (Math.abs(startsAt - expected) > 1e-6 * bars.barSeconds) {
    throw malformed(`startsAt[${bar}]`, `follows the bar before it by barSeconds, ${bars.barSeconds}`)
  }
}

function checkColumn(name: string, column: Float64Array, least: number, most: number): void {
  for (let bar = 0; bar < column.length; bar++) {
    const value = column[bar] ?? Number.NaN
    if (!(value >= least && value <= most)) {
      throw malformed(
        `${name}[${bar}]`,
        most === Number.MAX_VALUE ? 'is finite and at least 0' : `is within ${least} and ${most}`,
      )
    }
  }
}

function checkSpan(bars: Bars, bar: number): void {
  const low = bars.lowTick[bar] ?? Number.NaN
  const high = bars.highTick[bar] ?? Number.NaN
  const open = bars.openTick[bar] ?? Number.NaN
  const close = bars.closeTick[bar] ?? Number.NaN
  if (low > open || low > close) throw malformed(`lowTick[${bar}]`, 'is not above openTick and closeTick')
  if (high < open || high < close) throw malformed(`highTick[${bar}]`, 'is not below openTick and closeTick')
}

function malformed(field: string, rule: string): LpMathError {
  return new LpMathError('BARS_MALFORMED', `${field} ${rule}.`)
}
