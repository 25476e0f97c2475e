import { MAX_TICK, MIN_TICK } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Hex } from 'viem'
import type { Pool, TickRow, ReadPorts } from '../../ports.ts'
import { contractFunction } from '../../rpc/contract-function.ts'
import { everyResult } from '../../rpc/read-all.ts'
import { joinQueries, query, type Query, readQuery } from '../../rpc/query.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { v4StateViewAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'

/**
 * The initialised ticks of a pool within two ticks, both included, in ascending order, at the block at which the pool was
 * read: the words of the tick bitmap with the ticks that were set when the pool was read last, then what else is set now. Of more than
 * `mostTicks` those nearest to the price, which follow each other. A v2 pair has none.
 *
 * @throws ToolError `RPC_*`, `RPC_REFUSED` also when a contract answers for some of the words only.
 */
export async function readTicks(
  ports: ReadPorts,
  chain: Chain,
  pool: Pool,
  tickLower: number,
  tickUpper: number,
  memory: TickMemory = createTickMemory(),
): Promise<readonly TickRow[]> {
  const spacing = pool.tickSpacing
  if (pool.version === 'v2' || spacing === null) return []
  const first = Math.ceil(Math.max(tickLower, MIN_TICK) / spacing)
  const last = Math.floor(Math.min(tickUpper, MAX_TICK) / spacing)
  if (first > last) return []
  const queries = { v3: () => v3TickQueries(pool.id), v4: () => v4TickQueries(chain, pool.id) }[pool.version]()
  const words = Array.from({ length: (last >> 8) - (first >> 8) + 1 }, (_, index) => (first >> 8) + index)
  const run = <Result>(query: Query<Result>) => readQuery(ports.rpc.client(chain), chain, query, pool.blockNumber)
  const name = `${chain.id} ${pool.id.toLowerCase()}`
  const range = { from: first * spacing, to: last * spacing }
  const likely = memory.of(name).filter((tick) => tick >= range.from && tick <= range.to)
  const [bitmapsRead, likelyRows] = await run(
    joinQueries([
      joinQueries(words.map((position) => queries.word(position))),
      joinQueries(likely.map((tick) => queries.tick(tick))),
    ] as const),
  )
  const ticks = everyResult(bitmapsRead)
    .flatMap((bitmap, index) => setBits(bitmap).map((bit) => ((words[index] ?? 0) << 8) + bit))
    .filter((compressed) => compressed >= first && compressed <= last)
    .map((compressed) => compressed * spacing)
  const wanted = nearest(ticks, pool.tick)
  const rows = new Map(likely.map((tick, index) => [tick, likelyRows[index] ?? null]))
  const others = wanted.filter((tick) => !rows.has(tick))
  const otherRows = await run(joinQueries(others.map((tick) => queries.tick(tick))))
  for (const [index, tick] of others.entries()) rows.set(tick, otherRows[index] ?? null)
  memory.keep(name, range, wanted)
  return everyResult(wanted.map((tick) => rows.get(tick) ?? null))
}

/** Which ticks of pools were set when they were read last: what is likely to be asked for, never an answer. */
export type TickMemory = {
  /** Ascending. */
  of(name: string): readonly number[]
  /** All that were found in a range. */
  keep(name: string, range: { readonly from: number; readonly to: number }, ticks: readonly number[]): void
}

/** Remembers 100,000 ticks of all pools together, those of the pools that were read last. */
export function createTickMemory(mostKept = 100_000): TickMemory {
  const kept = new Map<string, Int32Array>()
  let count = 0
  const forget = (name: string) => {
    count -= kept.get(name)?.length ?? 0
    kept.delete(name)
  }
  return {
    of: (name) => [...(kept.get(name) ?? [])],
    keep(name, { from, to }, ticks) {
      const beyond = [...(kept.get(name) ?? [])].filter((tick) => tick < from || tick > to)
      const all = beyond.length + ticks.length > mostTicks ? ticks : [...beyond, ...ticks]
      forget(name)
      kept.set(name, Int32Array.from(all).toSorted())
      count += all.length
      for (const oldest of kept.keys()) {
        if (count <= mostKept || kept.size === 1) return
        forget(oldest)
      }
    },
  }
}

/** In some thirty requests; a bitmap of nothing but ones would ask for a million and more. */
export const mostTicks = 5_000

function nearest(ticks: readonly number[], price: number): readonly number[] {
  if (ticks.length <= mostTicks) return ticks
  const above = ticks.findIndex((tick) => tick > price)
  const split = above === -1 ? ticks.length : above
  return ticks
    .slice(Math.max(0, split - mostTicks), split + mostTicks)
    .toSorted((a, b) => Math.abs(a - price) - Math.abs(b - price))
    .slice(0, mostTicks)
    .toSorted((a, b) => a - b)
}

type TickQueries = {
  word(position: number): Query<bigint | null>
  tick(tick: number): Query<TickRow | null>
}

function v3TickQueries(pool: Hex): TickQueries {
  return {
    word: (position) => query([readV3Bitmap(pool, [position])], ([bitmap]) => bitmap),
    tick: (tick) =>
      query([readV3Tick(pool, [tick])], ([row]) =>
        row === null ? null : { tick, liquidityGross: row[0], liquidityNet: row[1] },
      ),
  }
}

function v4TickQueries(chain: Chain, id: Hex): TickQueries {
  const { stateView } = requireDeployment(chain, 'v4')
  return {
    word: (position) => query([readV4Bitmap(stateView, [id, position])], ([bitmap]) => bitmap),
    tick: (tick) =>
      query([readV4Tick(stateView, [id, tick])], ([row]) =>
        row === null ? null : { tick, liquidityGross: row[0], liquidityNet: row[1] },
      ),
  }
}

/** Positions of the set bits of a word, ascending. */
function setBits(word: bigint): number[] {
  const digits = word.toString(2)
  const bits: number[] = []
  for (let bit = 0; bit < digits.length; bit += 1) if (digits.at(-1 - bit) === '1') bits.push(bit)
  return bits
}

const readV3Bitmap = contractFunction(v3PoolAbi, 'tickBitmap')
const readV3Tick = contractFunction(v3PoolAbi, 'ticks')
const readV4Bitmap = contractFunction(v4StateViewAbi, 'getTickBitmap')
const readV4Tick = contractFunction(v4StateViewAbi, 'getTickLiquidity')
