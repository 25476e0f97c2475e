import type { HistoryPorts, HistoryRequest, SwapRecord } from '../ports.ts'
import { inTurns } from '@svc/runtime'
import { swapFit } from '../liquidity/swaps/swap-fit.ts'
import { barGrid } from './bars/bar-grid.ts'
import { barsOfSwaps } from './bars/bars-of-swaps.ts'
import type { ClosingState, TradedBars } from './bars/traded-bars.ts'

/**
 * The bars of a span of time out of swap logs, since when those were complete, and where they do not fit together. `opening` is the
 * state before the span where it is known; without it the logs of some hours before are looked at too. A span that ends within the
 * last hour is read on to the head, so that its end can be held against the pool's price. One in which the pool was created begins with
 * the price that it was given then.
 */
export async function readSpan(
  ports: Omit<HistoryPorts, 'rpc' | 'prices'>,
  { chain, pool, from, to, barSeconds, signal }: HistoryRequest,
  opening: ClosingState | null,
  nowMs: number,
): Promise<Span> {
  const askedFrom = opening === null ? from - openingSeconds : from
  const reachesHead = to >= nowMs / 1000 - 3_600
  const read = await ports.liquidity.swaps(chain, pool, askedFrom, reachesHead ? undefined : to, { signal })
  const knownFrom = read.complete ? askedFrom : read.completeFrom
  const isWhole = knownFrom <= from
  const swaps = read.swaps.filter(({ timestamp }) => timestamp >= knownFrom)
  const { created } = read
  const start = isWhole ? Math.max(from, created?.timestamp ?? from) : Math.ceil(knownFrom / barSeconds) * barSeconds
  const state = isWhole ? (opening ?? (created && { sqrtPriceX96: created.sqrtPriceX96, liquidity: 0n })) : null
  const end = reachesHead ? endOf(pool, swaps, state) : null
  const [first] = swaps
  return {
    // No pool is created after bars of it.
    followsOpening:
      opening === null ||
      (created === null && (first ? swapFit(pool, opening, first) === 'follows' : end !== 'breaks')),
    traded: await barsOfSwaps(pool, swaps, barGrid(start, to, barSeconds), state),
    knownFrom,
    isWhole,
    isFromCreation: created !== null,
    breaks: [
      ...(await inTurns(breaksOf(pool, swaps, state, from))),
      ...(end === 'breaks' ? [{ from: swaps.at(-1)?.timestamp ?? from, to }] : []),
    ],
    sureUntil: end === 'follows' ? to : (swaps.at(-1)?.timestamp ?? from),
  }
}

export type Span = {
  readonly traded: TradedBars
  /** Unix seconds. */
  readonly knownFrom: number
  /** Whether the logs reach back to where the span begins. */
  readonly isWhole: boolean
  /** Whether the pool was created in it. */
  readonly isFromCreation: boolean
  /** Whether the first log, or the pool's price where there is none, goes on from the state before the span. */
  readonly followsOpening: boolean
  /** Where a log does not follow from the one before it: their times, Unix seconds. */
  readonly breaks: readonly Break[]
  /** Until when the logs were found to be whole by a later one, or by the pool's price. */
  readonly sureUntil: number
}

export type Break = { readonly from: number; readonly to: number }

/** How much earlier to look for the swap that set the price of the first bar. */
const openingSeconds = 6 * 3_600

function* breaksOf(
  pool: HistoryRequest['pool'],
  swaps: readonly SwapRecord[],
  opening: ClosingState | null,
  from: number,
): Generator<void, readonly Break[]> {
  const breaks: Break[] = []
  let last: (ClosingState & { readonly timestamp?: number }) | null = opening
  for (const swap of swaps) {
    if (last !== null && swapFit(pool, last, swap) !== 'follows') {
      breaks.push({ from: last.timestamp ?? from, to: swap.timestamp })
    }
    last = swap
    yield
  }
  return breaks
}

/** Whether the last log up to the block that the pool was read at left its price; null where there is none. */
function endOf(
  pool: HistoryRequest['pool'],
  swaps: readonly SwapRecord[],
  opening: ClosingState | null,
): 'follows' | 'breaks' | null {
  const last = swaps.findLast(({ blockNumber }) => blockNumber <= pool.blockNumber) ?? opening
  if (last === null) return null
  const ratio = Number(last.sqrtPriceX96) / Number(pool.sqrtPriceX96)
  return Math.abs(ratio - 1) < 1e-6 ? 'follows' : 'breaks'
}
