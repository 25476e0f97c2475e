import { type BarChunk, type BarStore, barsOfChunk, barsOfChunks, chunkOf } from './bar-chunks.ts'
import type { HistoryPorts, HistoryRequest, SwapRecord } from '../../ports.ts'
import { barGrid, joinBars, tradedColumns, withoutFirst, type ClosingState, type TradedBars } from './bar-columns.ts'
import { inTurns } from '@svc/runtime'
import { swapFit } from '../../liquidity/swaps/swap-fit.ts'
import { barsOfSwaps } from './bars-of-swaps.ts'

/**
 * The bars of a pool out of its swap logs, since when the logs were complete, and how often one did not follow from the one before.
 * Bars that were closed long enough ago, and whose logs fit together, are kept in chunks of equal place in time, and taken from there
 * as far as they follow each other; only what comes before and after is read again. Where that does not join what was kept, the chain
 * may have another past now, or was wrong then: all is read once more, and replaces what was kept if it is whole and joins there.
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
  const row = await barsInRow(chunks, start, chunkSeconds, barSeconds)
  const keep = (closed: readonly BarChunk[]) => kept.keep(of, closed).catch(() => undefined)
  const read = (span: { from: number; to: number }, opening: ClosingState | null) =>
    readSpan(ports, { ...request, ...span }, opening, nowMs)
  const closed = (span: Span) => closedChunks(span, Math.min(to, nowMs / 1000 - settledSeconds), chunkSeconds)
  let around = await readAround(row, { start, to }, read)
  for (const span of around.spans) await keep(closed(span))
  const anew = around.torn.length === 0 ? null : await read({ from: start, to }, null).catch(unlessLeft(request))
  if (anew !== null) {
    const isBetter = anew.isWhole && around.torn.every((at) => joinsAt(anew, at))
    await keep(isBetter ? inPlaceOf(chunks, closed(anew)) : withoutBroken(chunks, anew, chunkSeconds))
    if (isBetter) around = { ...anew, spans: [anew], breaks: anew.breaks.length, torn: [] }
  }
  const { traded, knownFrom, breaks } = around
  const before = traded.bars.startsAt.filter((startsAt) => startsAt < wanted.start).length
  return {
    traded: before > 0 ? withoutFirst(traded, before) : traded,
    knownFrom: Math.max(wanted.start, knownFrom),
    breaks,
  }
}

/** What a pool's bars are kept under. The number changes with what a chunk holds: older ones are no longer asked for. */
export function keptUnder({ id }: Pick<HistoryRequest['pool'], 'id'>): string {
  return `${id.toLowerCase()} 3`
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

/** What was kept, with what comes before and after it out of the logs, and at what times these do not join it. */
async function readAround(
  row: TradedBars,
  { start, to }: { start: number; to: number },
  read: (span: { from: number; to: number }, opening: ClosingState | null) => Promise<Span>,
) {
  const rowFrom = row.bars.startsAt[0] ?? start
  const rowTo = rowFrom + row.bars.startsAt.length * row.bars.barSeconds
  const [late, found] = await Promise.all([
    rowTo < to ? read({ from: rowTo, to }, row.closing.at(-1) ?? null) : null,
    rowFrom > start ? read({ from: start, to: rowFrom }, null) : null,
  ])
  // Between what was kept and what the logs gave may be a hole: then only the later part counts.
  if (late !== null && !late.isWhole) {
    return { ...late, spans: [late], breaks: late.breaks.length, torn: [] }
  }
  const isTornBefore = found !== null && isTorn(found.traded, row)
  // That what was kept goes on from there shows that the logs are whole up to it.
  const early = found === null || isTornBefore ? found : { ...found, sureUntil: rowFrom }
  const spans = [early, late].filter((span) => span !== null)
  return {
    spans,
    traded: joinBars([...(early === null ? [] : [early.traded]), row, ...(late === null ? [] : [late.traded])]),
    knownFrom: early === null || early.isWhole ? start : early.knownFrom,
    breaks: spans.reduce((sum, { breaks }) => sum + breaks.length, isTornBefore ? 1 : 0),
    torn: [...(isTornBefore && found.isWhole ? [rowFrom] : []), ...(late?.followsOpening === false ? [rowTo] : [])],
  }
}

/** Leaves it at what is known where a second reading fails, unless the caller left. */
function unlessLeft({ signal }: HistoryRequest) {
  return (error: unknown) => {
    if (signal?.aborted === true) throw error
    return null
  }
}

/** What to keep now that all was read anew: its chunks, and none where others were kept that it does not vouch for. */
function inPlaceOf(kept: readonly BarChunk[], closed: readonly BarChunk[]): readonly BarChunk[] {
  const unvouched = kept.filter(({ startsAt }) => !closed.some((chunk) => chunk.startsAt === startsAt))
  return [...closed, ...unvouched.map(voided)]
}

/** The chunks that a reading found broken, so that the next one reads them along instead of all once more. */
function withoutBroken(kept: readonly BarChunk[], { breaks, knownFrom }: Span, chunkSeconds: number) {
  return kept
    .filter(({ startsAt }) => startsAt >= knownFrom && breaks.some((hole) => isWithin(hole, startsAt, chunkSeconds)))
    .map(voided)
}

/** An empty content is not understood, so that the row of kept bars ends before it. */
function voided({ startsAt }: BarChunk): BarChunk {
  return { startsAt, content: '' }
}

/** Whether a reading knows what was before a time, and goes on from it: one that knows less refutes nothing. */
function joinsAt({ traded, breaks, isFromCreation }: Span, at: number): boolean {
  const knows = isFromCreation || (traded.bars.startsAt[0] ?? at) < at
  return knows && !breaks.some((hole) => hole.from < at && hole.to >= at)
}

/** Whether a break lies in a chunk. */
function isWithin(hole: Break, begins: number, chunkSeconds: number): boolean {
  return hole.from < begins + chunkSeconds && hole.to >= begins
}

/** The bars of the first chunks that follow each other without a gap and are understood, from the last price that is torn on. */
async function barsInRow(
  chunks: readonly BarChunk[],
  start: number,
  chunkSeconds: number,
  barSeconds: number,
): Promise<TradedBars> {
  const from = chunks[0]?.startsAt ?? start
  const end = chunks.findIndex((chunk, index) => chunk.startsAt !== from + index * chunkSeconds)
  const inRow = end === -1 ? chunks : chunks.slice(0, end)
  const row = await barsOfChunks(inRow, { start: from, barSeconds })
  if (row.bars.startsAt.length === 0) return tradedColumns({ start, count: 0, barSeconds })
  // Chunks of two pasts of a chain may stand side by side: of those the later count.
  const { openTick, closeTick } = row.bars
  const torn = openTick.findLastIndex((tick, bar) => bar > 0 && isApart(closeTick[bar - 1], tick))
  return torn === -1 ? row : withoutFirst(row, torn)
}

/** Whether the first bars end at another price than those that were kept begin with. */
function isTorn({ bars: first }: TradedBars, { bars: second }: TradedBars): boolean {
  return isApart(first.closeTick.at(-1), second.openTick[0])
}

function isApart(closed: number | undefined, opened: number | undefined): boolean {
  return closed !== undefined && opened !== undefined && Math.abs(closed - opened) > 1e-6
}

/** Those that lie whole in the bars, at their place in time, before `until` (Unix seconds), of logs that fit together. */
function closedChunks({ traded, breaks, sureUntil }: Span, until: number, chunkSeconds: number) {
  const { startsAt } = traded.bars
  return Array.from(startsAt.entries())
    .filter(([index, begins]) => begins % chunkSeconds === 0 && index + barsOfChunk <= startsAt.length)
    .filter(([, begins]) => begins + chunkSeconds <= Math.min(until, sureUntil))
    .filter(([, begins]) => !breaks.some((hole) => isWithin(hole, begins, chunkSeconds)))
    .map(([index]) => chunkOf(traded, index))
}

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

type Break = { readonly from: number; readonly to: number }

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
