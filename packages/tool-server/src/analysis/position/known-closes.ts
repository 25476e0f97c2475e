import { isTraded, MAX_TICK } from '@svc/lp-math'
import type { PoolBars } from '@svc/amm'

/**
 * The closes of the bars that are known, for a volatility: gaps and ticks that no pool can have are left out, and a move over them is
 * scaled by the root of its time to that of one bar. So are the bars before the first trade: that a price nobody traded at stood still
 * tells nothing. They are relative to the last. A move over a gap was traded, as far as anybody knows in the bar that ends it.
 */
export function knownCloses({ bars, completeness }: Pick<PoolBars, 'bars' | 'completeness'>): KnownCloses {
  const gaps = new Set(completeness.gapsAt)
  const levels: number[] = []
  const traded: boolean[] = []
  let last: { readonly bar: number; readonly tick: number } | null = null
  let hasTraded = false
  for (const [bar, tick] of bars.closeTick.entries()) {
    hasTraded ||= isTraded(bars, bar)
    if (!hasTraded || gaps.has(bars.startsAt[bar] ?? 0) || !(Math.abs(tick) <= MAX_TICK)) continue
    const moved: number = last === null ? 0 : (tick - last.tick) / Math.sqrt(bar - last.bar)
    levels.push(Math.min(mostLevel, Math.max(-mostLevel, (levels.at(-1) ?? 0) + moved)))
    traded.push(moved !== 0 || isTraded(bars, bar))
    last = { bar, tick }
  }
  const end = levels.at(-1) ?? 0
  return { closes: Float64Array.from(levels, (level) => 1.0001 ** (level - end)), traded }
}

export type KnownCloses = {
  readonly closes: Float64Array
  /** Of each close whether its bar saw a trade. */
  readonly traded: readonly boolean[]
}

/** Keeps the quotient of any two closes a double. */
const mostLevel = 3 * MAX_TICK
