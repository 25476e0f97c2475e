import { MAX_TICK } from '../ticks/ticks.ts'

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
