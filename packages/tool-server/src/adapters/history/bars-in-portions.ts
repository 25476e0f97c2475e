import type { Pool, SwapRecord } from '../../ports.ts'
import { inPortions } from '../in-portions.ts'
import type { BarGrid } from './bar-grid.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'
import { joinBars, type ClosingState, type TradedBars } from './traded-bars.ts'

/** What `barsOfSwaps` makes of swaps, some bars at a time, so that a busy pool holds no other call up. */
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
  let held: readonly SwapRecord[] = []
  const closed = (until: number) => {
    const part = held.filter(({ timestamp }) => timestamp < until)
    const bars = barsOfSwaps(
      pool,
      part,
      { start: from, count: Math.round((until - from) / barSeconds), barSeconds },
      state,
    )
    held = held.slice(part.length)
    state = part.at(-1) ?? state
    from = until
    return bars
  }
  let traded: TradedBars | null = null
  for await (const portion of inPortions(inside, swapsAtOnce)) {
    held = [...held, ...portion]
    // The bar of the last one may go on in the next portion.
    const until = Math.min(
      endsAt,
      start + Math.floor(((portion.at(-1)?.timestamp ?? start) - start) / barSeconds) * barSeconds,
    )
    if (until > from) traded = traded === null ? closed(until) : joinBars(traded, closed(until))
  }
  const last = closed(endsAt)
  return traded === null ? last : joinBars(traded, last)
}

/** Few milliseconds of work. */
const swapsAtOnce = 100
