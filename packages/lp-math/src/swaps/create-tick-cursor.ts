import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK, MIN_TICK, requireTickSpacing } from '../ticks/ticks.ts'

/**
 * Walks a pool's initialised ticks in the direction of a swap; with a tick spacing it also stops at the end of each bitmap word of 256
 * spacings, as the contracts do (TickBitmap of v3-core, `nextInitializedTickWithinOneWord`).
 * @throws LpMathError `TICKS_UNSORTED`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function createTickCursor(options: CursorOptions): TickCursor {
  const { ticks, zeroForOne, tickSpacing } = options
  requireSorted(ticks)
  if (tickSpacing !== undefined) requireTickSpacing(tickSpacing)
  // Ticks before this index lie at or below the current tick.
  let below = countAtOrBelow(ticks, options.tick)
  return {
    next(tick) {
      const initialised = zeroForOne ? ticks[below - 1] : ticks[below]
      const edge = tickSpacing === undefined ? outermost(zeroForOne) : wordEdge(tick, tickSpacing, zeroForOne)
      const isInitialisedNext =
        initialised !== undefined && (zeroForOne ? initialised.tick >= edge : initialised.tick <= edge)
      return isInitialisedNext ? initialised : { tick: edge, liquidityNet: null }
    },
    cross() {
      below += zeroForOne ? -1 : 1
    },
  }
}

/** An initialised tick, and the liquidity that enters there for a rising price (leaves, if negative). */
export type TickLiquidity = { tick: number; liquidityNet: bigint }

export type TickCursor = {
  /** The next stop from a tick; `liquidityNet` is null where nothing is initialised. */
  next(tick: number): { tick: number; liquidityNet: bigint | null }
  /** Steps over the initialised tick that `next` gave. */
  cross(): void
}

type CursorOptions = {
  ticks: readonly TickLiquidity[]
  tick: number
  zeroForOne: boolean
  tickSpacing?: number
}

function requireSorted(ticks: readonly TickLiquidity[]): void {
  let previous = Number.NEGATIVE_INFINITY
  for (const { tick } of ticks) {
    if (tick <= previous) throw new LpMathError('TICKS_UNSORTED', 'The ticks are in rising order, each once.')
    previous = tick
  }
}

function countAtOrBelow(ticks: readonly TickLiquidity[], tick: number): number {
  let [low, high] = [0, ticks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ticks[middle]?.tick ?? Number.POSITIVE_INFINITY) <= tick) low = middle + 1
    else high = middle
  }
  return low
}

function outermost(zeroForOne: boolean): number {
  return zeroForOne ? MIN_TICK : MAX_TICK
}

function wordEdge(tick: number, tickSpacing: number, zeroForOne: boolean): number {
  const compressed = Math.floor(tick / tickSpacing)
  return zeroForOne
    ? Math.max((compressed >> 8) * 256 * tickSpacing, MIN_TICK)
    : Math.min((((compressed + 1) >> 8) * 256 + 255) * tickSpacing, MAX_TICK)
}
