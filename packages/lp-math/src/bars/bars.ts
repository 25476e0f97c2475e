import { MAX_TICK, MIN_TICK } from '../ticks/ticks.ts'
import { LpMathError } from '../lp-math-error.ts'

/**
 * What a pool traded, in bars of one length without holes, oldest first, as columns of equal length. Ticks are the pool's own (price of
 * token0 in token1, smallest units) and may have fractions where the source tells prices. A bar without a trade has no inputs and
 * four equal ticks.
 */
export type Bars = {
  readonly barSeconds: number
  /** Seconds since 1970 at which each bar begins. */
  readonly startsAt: Float64Array
  readonly openTick: Float64Array
  readonly lowTick: Float64Array
  readonly highTick: Float64Array
  readonly closeTick: Float64Array
  /** What traders paid in, fee included, in smallest units. */
  readonly amount0In: Float64Array
  readonly amount1In: Float64Array
  /** Active liquidity of the pool during the bar. */
  readonly liquidity: Float64Array
  /** Fees for one unit of active liquidity that the bar earned, in smallest units; `null` where the source cannot tell. */
  readonly feeGrowth: { readonly token0: Float64Array; readonly token1: Float64Array } | null
}

/** Columns for `count` bars from `startsAt` on, all zero but the starts. */
export function createBars(count: number, barSeconds: number, startsAt: number, withFeeGrowth: boolean): Bars {
  return {
    barSeconds,
    startsAt: Float64Array.from({ length: count }, (_, bar) => startsAt + bar * barSeconds),
    openTick: new Float64Array(count),
    lowTick: new Float64Array(count),
    highTick: new Float64Array(count),
    closeTick: new Float64Array(count),
    amount0In: new Float64Array(count),
    amount1In: new Float64Array(count),
    liquidity: new Float64Array(count),
    feeGrowth: withFeeGrowth ? { token0: new Float64Array(count), token1: new Float64Array(count) } : null,
  }
}

/** Whether somebody traded in a bar: a price that moved within it was traded at, whatever is said of its inputs. */
export function isTraded({ openTick, closeTick, amount0In, amount1In }: TradedBars, bar: number): boolean {
  return (amount0In[bar] ?? 0) > 0 || (amount1In[bar] ?? 0) > 0 || closeTick[bar] !== openTick[bar]
}

/** The columns of bars that show whether anybody traded. */
export type TradedBars = Pick<Bars, 'openTick' | 'closeTick' | 'amount0In' | 'amount1In'>

/**
 * What amounts of both tokens, one of each for every bar, come to in one of them, at the mean of the prices of the bar; in smallest units.
 * What no pool can have traded, an amount below nothing or no number, counts as nothing.
 */
export function worthOfBars(
  { lowTick, highTick }: Pick<Bars, 'lowTick' | 'highTick'>,
  amounts: { readonly amount0: ArrayLike<number>; readonly amount1: ArrayLike<number> },
  countedToken: 0 | 1,
): Float64Array {
  return Float64Array.from(lowTick, (low, bar) => {
    const tick = (low + (highTick[bar] ?? 0)) / 2
    if (!(Math.abs(tick) <= MAX_TICK)) return 0
    const price = 1.0001 ** tick
    const [amount0, amount1] = [held(amounts.amount0[bar]), held(amounts.amount1[bar])]
    const worth = countedToken === 1 ? amount0 * price + amount1 : amount0 + amount1 / price
    return Number.isFinite(worth) ? worth : 0
  })
}

function held(amount: number | undefined): number {
  return amount !== undefined && amount > 0 ? amount : 0
}

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

/**
 * Longer bars out of shorter ones, beginning with the first; a last bar that would not be whole is left out. Inputs and fee growth
 * are summed. Liquidity is the harmonic mean weighted by what was traded, since a fee is shared by the liquidity there when it is
 * paid: it gives the same fee for one unit of liquidity as the short bars. Without a trade it is the last one's.
 * @param barSeconds - a whole multiple of the bars' own.
 * @throws LpMathError `BARS_MALFORMED` also where the bars do not fill one long bar.
 */
export function resampleBars(bars: Bars, barSeconds: number): Bars {
  checkBars(bars)
  const perBar = Math.round(barSeconds / bars.barSeconds)
  if (!(perBar >= 1) || Math.abs(perBar * bars.barSeconds - barSeconds) > 1e-6) {
    throw new LpMathError('BARS_MALFORMED', `barSeconds is a whole multiple of the bars' own, ${bars.barSeconds}.`)
  }
  const count = Math.floor(bars.startsAt.length / perBar)
  if (count === 0) throw new LpMathError('BARS_MALFORMED', `bars fill at least one bar of ${barSeconds} s.`)
  const longer = createBars(count, barSeconds, bars.startsAt[0] ?? 0, bars.feeGrowth !== null)
  for (let bar = 0; bar < count; bar++) copyGroup(bars, bar * perBar, (bar + 1) * perBar, longer, bar)
  return longer
}

function copyGroup(bars: Bars, from: number, to: number, longer: Bars, bar: number): void {
  longer.openTick[bar] = bars.openTick[from] ?? 0
  longer.closeTick[bar] = bars.closeTick[to - 1] ?? 0
  longer.lowTick[bar] = bars.lowTick.subarray(from, to).reduce((low, tick) => Math.min(low, tick))
  longer.highTick[bar] = bars.highTick.subarray(from, to).reduce((high, tick) => Math.max(high, tick))
  longer.amount0In[bar] = sum(bars.amount0In, from, to)
  longer.amount1In[bar] = sum(bars.amount1In, from, to)
  longer.liquidity[bar] = tradedLiquidity(bars, from, to)
  if (bars.feeGrowth !== null && longer.feeGrowth !== null) {
    longer.feeGrowth.token0[bar] = sum(bars.feeGrowth.token0, from, to)
    longer.feeGrowth.token1[bar] = sum(bars.feeGrowth.token1, from, to)
  }
}

function tradedLiquidity(bars: Bars, from: number, to: number): number {
  let traded = 0
  let tradedPerLiquidity = 0
  for (let bar = from; bar < to; bar++) {
    const liquidity = bars.liquidity[bar] ?? 0
    if (liquidity === 0) continue
    const price = 1.0001 ** (bars.closeTick[bar] ?? 0)
    const volume1 = (bars.amount0In[bar] ?? 0) * price + (bars.amount1In[bar] ?? 0)
    traded += volume1
    tradedPerLiquidity += volume1 / liquidity
  }
  return tradedPerLiquidity === 0 ? (bars.liquidity[to - 1] ?? 0) : traded / tradedPerLiquidity
}

function sum(column: Float64Array, from: number, to: number): number {
  let total = 0
  for (let bar = from; bar < to; bar++) total += column[bar] ?? 0
  return total
}
