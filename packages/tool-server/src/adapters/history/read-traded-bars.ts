import type { BarChunk, BarStore } from '@svc/store'
import type { HistoryRequest } from '../../ports.ts'
import { barsOfChunk, barsOfChunks, chunkOf } from './bar-chunks.ts'
import { barGrid } from './bar-grid.ts'
import type { HistoryPorts } from './create-pool-history.ts'
import { readSpan, type Span } from './read-span.ts'
import { joinBars, tradedColumns, withoutFirst, type TradedBars } from './traded-bars.ts'

/**
 * The bars of a pool out of its swap logs, since when the logs were complete, and how often one did not follow from the one before.
 * Bars that were closed long enough ago, and whose logs fit together, are kept in chunks of equal place in time, and taken from there
 * as far as they follow each other; only what comes before and after is read again.
 */
export async function readTradedBars(
  ports: Omit<HistoryPorts, 'rpc' | 'prices'>,
  kept: BarStore,
  request: HistoryRequest,
  nowMs: number,
): Promise<Found> {
  const { chain, pool, from, to, barSeconds } = request
  const chunkSeconds = barsOfChunk * barSeconds
  const wanted = barGrid(from, to, barSeconds)
  const start = Math.floor(wanted.start / chunkSeconds) * chunkSeconds
  const of = { chainId: chain.id, pool: keptUnder(pool), barSeconds }
  // What is kept only saves work: where it cannot be read or written, the logs are.
  const chunks = await kept.read(of, start, to - chunkSeconds + 1).catch(() => [])
  const row = barsInRow(chunks, start, chunkSeconds, barSeconds)
  const rowFrom = row.bars.startsAt[0] ?? start
  const rowTo = rowFrom + row.bars.startsAt.length * barSeconds
  const read = async (span: { from: number; to: number }, opening: Parameters<typeof readSpan>[2]) => {
    const found = await readSpan(ports, { ...request, ...span }, opening, nowMs)
    const closed = closedChunks(found, Math.min(to, nowMs / 1000 - settledSeconds), chunkSeconds)
    await kept.keep(of, closed).catch(() => undefined)
    return found
  }
  const late = rowTo < to ? await read({ from: rowTo, to }, row.closing.at(-1) ?? null) : null
  // Between what was kept and what the logs told may be a hole: then only the later part counts.
  const isJoined = late === null || late.isWhole
  const early = isJoined && rowFrom > start ? await read({ from: start, to: rowFrom }, null) : null
  const parts = [
    ...(early === null ? [] : [early.traded]),
    ...(isJoined ? [row] : []),
    ...(late === null ? [] : [late.traded]),
  ]
  const first = isJoined ? early : late
  const isWhole = first === null || first.isWhole
  const traded = joinBars(parts)
  const before = traded.bars.startsAt.filter((startsAt) => startsAt < wanted.start).length
  return {
    traded: before > 0 ? withoutFirst(traded, before) : traded,
    knownFrom: isWhole ? wanted.start : Math.max(wanted.start, first.knownFrom),
    breaks:
      (early?.breaks.length ?? 0) + (late?.breaks.length ?? 0) + (early !== null && isTorn(early.traded, row) ? 1 : 0),
  }
}

/** What a pool's bars are kept under. The number changes with what a chunk holds: older ones are no longer asked for. */
export function keptUnder({ id }: Pick<HistoryRequest['pool'], 'id'>): string {
  return `${id.toLowerCase()} 2`
}

export type Found = {
  readonly traded: TradedBars
  /** Unix seconds. */
  readonly knownFrom: number
  /** How many of the logs that were read now do not follow from the one before: some are missing, or untrue. */
  readonly breaks: number
}

/** Deeper than any reorganisation of the chains we know. */
const settledSeconds = 3_600

/** The bars of the first chunks that follow each other without a gap; none where one is no longer understood. */
function barsInRow(chunks: readonly BarChunk[], start: number, chunkSeconds: number, barSeconds: number): TradedBars {
  const from = chunks[0]?.startsAt ?? start
  const end = chunks.findIndex((chunk, index) => chunk.startsAt !== from + index * chunkSeconds)
  const inRow = end === -1 ? chunks : chunks.slice(0, end)
  return barsOfChunks(inRow, { start: from, barSeconds }) ?? tradedColumns({ start, count: 0, barSeconds })
}

/** Whether the first bars end at another price than those that were kept begin with. */
function isTorn({ bars: first }: TradedBars, { bars: second }: TradedBars): boolean {
  const [closed, opened] = [first.closeTick.at(-1), second.openTick[0]]
  return closed !== undefined && opened !== undefined && Math.abs(closed - opened) > 1e-6
}

/** Those that lie whole in the bars, at their place in time, before `until` (Unix seconds), of logs that fit together. */
function closedChunks({ traded, breaks, sureUntil }: Span, until: number, chunkSeconds: number) {
  const { startsAt } = traded.bars
  return Array.from(startsAt.entries())
    .filter(([index, begins]) => begins % chunkSeconds === 0 && index + barsOfChunk <= startsAt.length)
    .filter(([, begins]) => begins + chunkSeconds <= Math.min(until, sureUntil))
    .filter(([, begins]) => !breaks.some((hole) => hole.from < begins + chunkSeconds && hole.to >= begins))
    .map(([index]) => chunkOf(traded, index))
}
