import type { Pool, SwapRecord } from '../../ports.ts'
import { inPortions } from '../in-portions.ts'
import type { BarGrid } from './bar-grid.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'
import { joinBars, type ClosingState, type TradedBars } from './traded-bars.ts'

/**
 * What `barsOfSwaps` makes of swaps, some bars at a time, so that a busy pool holds no other call up for longer than the swaps of one bar
 * take: a few microseconds each.
 */
export async function barsInPortions(
  pool: Pool,
  swaps: readonly SwapRecord[],
  { start, count, barSeconds }: BarGrid,
  opening: ClosingState | null,
): Promise<TradedBars> {
  const endsAt = start + count * barSeconds
  const opened = swaps.findIndex(({ timestamp }) => timestamp >= start)
  const inside = opened === -1 ? [] : swaps.slice(opened)
  let state = (opened === -1 ? swaps.at(-1) : swaps[opened - 1]) ?? opening
  let from = start
  let done = 0
  const closed = (until: number, end: number) => {
    const part = inside.slice(done, end)
    const bars = barsOfSwaps(
      pool,
      part,
      { start: from, count: Math.round((until - from) / barSeconds), barSeconds },
      state,
    )
    state = part.at(-1) ?? state
    from = until
    done = end
    return bars
  }
  const parts: TradedBars[] = []
  let seen = 0
  for await (const portion of inPortions(inside, swapsAtOnce)) {
    seen += portion.length
    // The bar of the last one may go on in the next portion.
    const last = portion.at(-1)?.timestamp ?? start
    const until = Math.min(endsAt, start + Math.floor((last - start) / barSeconds) * barSeconds)
    if (until <= from) continue
    let end = seen
    while (end > done && (inside[end - 1]?.timestamp ?? start) >= until) end -= 1
    parts.push(closed(until, end))
  }
  return joinBars([...parts, closed(endsAt, inside.length)])
}

/** Few milliseconds of work. */
const swapsAtOnce = 100
