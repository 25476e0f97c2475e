import { MAX_TICK } from '../ticks/ticks.ts'
import type { Bars } from './bars.ts'

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
