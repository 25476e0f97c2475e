import { MAX_TICK } from '@svc/lp-math'
import type { PoolBars } from '../../ports.ts'

/**
 * The closes of the bars that are known, for a volatility: gaps and ticks that no pool can have are left out, and a move over them is
 * scaled by the root of its time to that of one bar. So are the bars before the first trade: that a price nobody traded at stood still
 * tells nothing. They are relative to the last.
 */
export function knownCloses({ bars, completeness }: Pick<PoolBars, 'bars' | 'completeness'>): Float64Array {
  const gaps = new Set(completeness.gapsAt)
  const traded = firstTraded(bars)
  const levels: number[] = []
  let last: { readonly bar: number; readonly tick: number } | null = null
  for (const [bar, tick] of bars.closeTick.entries()) {
    if (bar < traded || gaps.has(bars.startsAt[bar] ?? 0) || !(Math.abs(tick) <= MAX_TICK)) continue
    const moved: number = last === null ? 0 : (tick - last.tick) / Math.sqrt(bar - last.bar)
    levels.push(Math.min(mostLevel, Math.max(-mostLevel, (levels.at(-1) ?? 0) + moved)))
    last = { bar, tick }
  }
  const end = levels.at(-1) ?? 0
  return Float64Array.from(levels, (level) => 1.0001 ** (level - end))
}

/** A price that moved within a bar was traded at, whatever is told of its inputs. */
function firstTraded({ openTick, closeTick, amount0In, amount1In }: PoolBars['bars']): number {
  const first = closeTick.findIndex(
    (tick, bar) => (amount0In[bar] ?? 0) > 0 || (amount1In[bar] ?? 0) > 0 || tick !== openTick[bar],
  )
  return first === -1 ? closeTick.length : first
}

/** Keeps the quotient of any two closes a double. */
const mostLevel = 3 * MAX_TICK
