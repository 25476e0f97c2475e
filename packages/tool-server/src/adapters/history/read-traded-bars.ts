import type { BarStore } from '@svc/store'
import type { HistoryRequest } from '../../ports.ts'
import { barsOfChunk, barsOfChunks, chunkOf } from './bar-chunks.ts'
import { barGrid } from './bar-grid.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'
import type { HistoryPorts } from './create-pool-history.ts'
import { joinBars, tradedColumns, withoutFirst, type TradedBars } from './traded-bars.ts'

/**
 * The bars of a pool out of its swap logs, and since when the logs were complete. Bars that were closed long enough ago are kept in
 * chunks of equal place in time, and taken from there as far as they follow each other; only what comes after is read again.
 */
export async function readTradedBars(
  ports: Omit<HistoryPorts, 'rpc' | 'prices'>,
  kept: BarStore,
  { chain, pool, from, to, barSeconds }: HistoryRequest,
  nowMs: number,
): Promise<Found> {
  const chunkSeconds = barsOfChunk * barSeconds
  const wanted = barGrid(from, to, barSeconds)
  const start = Math.floor(wanted.start / chunkSeconds) * chunkSeconds
  const of = { chainId: chain.id, pool: keptUnder(pool), barSeconds }
  // What is kept only saves work: where it cannot be read or written, the logs are.
  const chunks = await kept.read(of, start, to - chunkSeconds + 1).catch(() => [])
  const early =
    barsOfChunks(inRow(chunks, start, chunkSeconds), { start, barSeconds }) ??
    tradedColumns({ start, count: 0, barSeconds })
  const count = early.bars.startsAt.length
  const readFrom = start + count * barSeconds
  const skipped = (wanted.start - start) / barSeconds
  if (readFrom >= to) return { traded: withoutFirst(early, skipped), knownFrom: wanted.start }
  const opening = early.closing.at(-1) ?? null
  const askedFrom = opening === null ? readFrom - openingSeconds : readFrom
  const { swaps, completeFrom, complete } = await ports.liquidity.swaps(chain, pool, askedFrom, to)
  const knownFrom = complete ? askedFrom : completeFrom
  const isWhole = knownFrom <= readFrom
  const lateFrom = isWhole ? readFrom : Math.ceil(knownFrom / barSeconds) * barSeconds
  const since = swaps.filter((swap) => swap.timestamp >= knownFrom)
  const late = barsOfSwaps(
    pool,
    since,
    barGrid(Math.max(lateFrom, isWhole ? 0 : wanted.start), to, barSeconds),
    isWhole ? opening : null,
  )
  const closed = closedChunks(late, Math.min(to, nowMs / 1000 - settledSeconds), chunkSeconds)
  await kept.keep(of, closed).catch(() => undefined)
  // Between what was kept and what the logs told may be a hole: then only the later part counts.
  const traded = isWhole ? joinBars(early, late) : late
  const before = traded.bars.startsAt.findIndex((startsAt) => startsAt >= wanted.start)
  return { traded: before > 0 ? withoutFirst(traded, before) : traded, knownFrom: isWhole ? wanted.start : knownFrom }
}

/** What a pool's bars are kept under. The number changes with what a chunk holds: older ones are no longer asked for. */
export function keptUnder({ id }: Pick<HistoryRequest['pool'], 'id'>): string {
  return `${id.toLowerCase()} 2`
}

export type Found = {
  readonly traded: TradedBars
  /** Unix seconds. */
  readonly knownFrom: number
}

/** How much earlier to look for the swap that set the price of the first bar. */
const openingSeconds = 6 * 3_600
/** Deeper than any reorganisation of the chains we know. */
const settledSeconds = 3_600

function inRow<Chunk extends { readonly startsAt: number }>(
  chunks: readonly Chunk[],
  start: number,
  chunkSeconds: number,
): Chunk[] {
  const end = chunks.findIndex((chunk, index) => chunk.startsAt !== start + index * chunkSeconds)
  return end === -1 ? [...chunks] : chunks.slice(0, end)
}

/** Those that lie whole in the bars, at their place in time, before `until` (Unix seconds). */
function closedChunks(traded: TradedBars, until: number, chunkSeconds: number) {
  const { startsAt } = traded.bars
  const ends = (index: number) => (startsAt[index] ?? Infinity) + chunkSeconds
  return Array.from(startsAt.keys())
    .filter((index) => (startsAt[index] ?? 1) % chunkSeconds === 0)
    .filter((index) => index + barsOfChunk <= startsAt.length && ends(index) <= until)
    .map((index) => chunkOf(traded, index))
}
