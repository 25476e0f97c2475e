import { MAX_TICK } from '@svc/lp-math'
import type { HistoryPorts, HistoryRequest } from '../../ports.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { contractFunction } from '../../rpc/contract-function.ts'
import { readAll } from '../../rpc/read-all.ts'
import { readTime } from '../../rpc/query.ts'
import { type TradedBars, tradedColumns } from '../bars/bar-columns.ts'

/**
 * The prices of a v3 pool at the bounds of its bars before a time (Unix seconds, on their grid), as its own oracle recalls them at the block
 * that the pool was read at: no archive is needed. It recalls as many blocks with a change as it was grown to hold, of a busy pool hours.
 * Between two of them the tick stood still, so that what a second before a bound added to its sums is the tick at that bound, exactly; highs
 * and lows are of these, and no trade, fee or liquidity is known. `null` for other pools, and where it recalls less than one bar. Throws `RPC_*`.
 */
export async function readObservedBars(
  { rpc }: Pick<HistoryPorts, 'rpc'>,
  { chain, pool, from, barSeconds }: HistoryRequest,
  until: number,
): Promise<{ readonly traded: TradedBars; readonly knownFrom: number; readonly note: string } | null> {
  if (pool.version !== 'v3') return null
  const client = rpc.client(chain)
  const [time, slot0] = await readAll(
    client,
    chain,
    [readTime(chain.multicall3, []), readSlot0(pool.id, [])] as const,
    pool.blockNumber,
  )
  if (time === null || slot0 === null) return null
  const [, , index, cardinality] = slot0
  const entries = [
    readObservation(pool.id, [BigInt((index + 1) % cardinality)]),
    readObservation(pool.id, [0n]),
  ] as const
  const [next, first] = await readAll(client, chain, entries, pool.blockNumber)
  const oldest = next?.[3] === true ? next : first
  if (oldest === null || !oldest[3]) return null
  const start = Math.floor(from / barSeconds) * barSeconds
  const knownFrom = Math.max(start, Math.ceil((oldest[0] + 1) / barSeconds) * barSeconds)
  const count = Math.min(mostBars, Math.floor((until - knownFrom) / barSeconds))
  if (count < 1) return null
  const begin = until - count * barSeconds
  const bounds = Array.from({ length: count + 1 }, (_, bar) => begin + bar * barSeconds)
  const parts = Array.from({ length: Math.ceil(bounds.length / boundsPerCall) }, (_, part) =>
    bounds.slice(part * boundsPerCall, (part + 1) * boundsPerCall),
  )
  const reads = parts.map((part) => readObserve(pool.id, [part.flatMap((at) => agosOf(at, Number(time)))]))
  const answers = await readAll(client, chain, reads, pool.blockNumber, 1)
  const ticks = answers.flatMap((answer, part) => ticksOf(answer?.[0] ?? [], parts[part]?.length ?? 0))
  if (ticks.length !== bounds.length || !ticks.every((tick) => Math.abs(tick) <= MAX_TICK)) return null
  return { traded: standing(ticks, { start: begin, count, barSeconds }), knownFrom: begin, note: noteOf(until) }
}

/** Prices alone: what nobody knows of a bar is nothing in its columns, and must not be shown. */
function standing(ticks: readonly number[], grid: Parameters<typeof tradedColumns>[0]): TradedBars {
  const traded = tradedColumns(grid)
  const { openTick, lowTick, highTick, closeTick } = traded.bars
  for (let bar = 0; bar < grid.count; bar += 1) {
    const [open = 0, close = 0] = ticks.slice(bar, bar + 2)
    openTick[bar] = open
    closeTick[bar] = close
    lowTick[bar] = Math.min(open, close)
    highTick[bar] = Math.max(open, close)
  }
  return traded
}

/** The second before a bound, and the bound: from the time of the block back. */
function agosOf(at: number, blockTime: number): readonly [number, number] {
  return [blockTime - at + 1, blockTime - at]
}

function ticksOf(sums: readonly bigint[], count: number): readonly number[] {
  if (sums.length !== 2 * count) return []
  return Array.from({ length: count }, (_, nth) => Number((sums[2 * nth + 1] ?? 0n) - (sums[2 * nth] ?? 0n)))
}

function noteOf(until: number): string {
  return `Bars before ${new Date(until * 1_000).toISOString()} are prices that the pool's own oracle recalls at their bounds, to a tick; highs and lows are of these.`
}

/** 42 days of hours: some 10,000 gas each. */
const mostBars = 1_008
const boundsPerCall = 120

const readSlot0 = contractFunction(v3PoolAbi, 'slot0')
const readObservation = contractFunction(v3PoolAbi, 'observations')
const readObserve = contractFunction(v3PoolAbi, 'observe')
