import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '@svc/wallet/core'
import type { MarketPorts, Pool } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { mapQuery, readPast } from '../../rpc/query.ts'
import { blockAt, type BlockTime } from '../../liquidity/swaps/block-at.ts'
import { type PoolSample, sampleQuery } from './pool-sample.ts'

/**
 * Reads the state of a pool at times of the past from an endpoint that keeps old state (an archive). Whether one does is asked first, at
 * the oldest block that is needed, and a no is kept for ten minutes. Each call tells the time of its block, so that blocks are found between
 * those whose times are known, without their headers, and those that lie off are asked for again nearer by. Calls go in batches with
 * pauses. Where one fails, all is read once more, from an endpoint that shows the same head, and what earlier reads left is dropped where the new
 * samples do not go on from it. Samples older than an hour stay in memory, the last ten thousand, for answers whose head the same endpoint
 * gives. What is asked of a time that the chain has not come to yet, is not known.
 */
export function createPoolSampler(rpc: SamplerRpc, options: SamplerOptions): PoolSampler {
  const { now } = options
  const memory = createSampleMemory(now)
  const lacking = new Map<number, { readonly before: number; readonly until: number }>()

  async function reachedOf(run: Run, times: readonly number[]): Promise<readonly number[]> {
    const known = lacking.get(run.chain.id)
    const asked = known === undefined || now() >= known.until ? times : times.filter((time) => time > known.before)
    if (asked.length < 2) return []
    const { first, before } = await reachOf(run, asked)
    if (first > 0) lacking.set(run.chain.id, { before, until: now() + lackingMs })
    return asked.slice(first)
  }

  return {
    async read({ chain, pool, times, signal }) {
      const head = await rpc.head(chain)
      if (isAhead(times, Number(head.timestamp), chain)) return null
      const marks = createMarks({ number: head.number, timestamp: Number(head.timestamp) })
      const endpoint = rpc.nextEndpoint?.(chain)?.place ?? 0
      const run: Run = { ...options, rpc, chain, pool, marks, signal, endpoint }
      const remembered = memory.of(run, times)
      const asked = remembered.size === times.length ? times : await reachedOf(run, times)
      if (asked.length < 2) return null
      const nothing: Found = new Map()
      let samples: readonly PoolSample[] = []
      // A second time with nothing known, for a first failure sends the reads to another endpoint.
      for (const known of remembered.size > 0 ? [remembered, nothing, nothing] : [nothing, nothing]) {
        samples = await readRun(run, asked, known)
        if (samples.length === asked.length && goOn(samples, pool)) break
      }
      if (samples.length < 2 || !goOn(samples, pool)) return null
      memory.keep(run, samples)
      return { samples, secondsOff: Math.max(...samples.map((sample) => marks.off(sample))) }
    },
  }
}

export type PoolSampler = {
  /**
   * A sample for each of the times (Unix seconds, oldest first) from the first on that an endpoint has state of; `null` where none has, or
   * where it tells what no pool does. Throws `RPC_*` for the head, `CANCELLED`.
   */
  read(asked: SampleRequest): Promise<{
    readonly samples: readonly PoolSample[]
    /** How far at most one may lie from the last block before its time; 0 where each is that block. */
    readonly secondsOff: number
  } | null>
}

export type SampleRequest = {
  readonly chain: Chain
  readonly pool: Pool
  readonly times: readonly number[]
  readonly signal?: AbortSignal | undefined
}

type SamplerRpc = Pick<MarketPorts['rpc'], 'client' | 'past' | 'head' | 'nextEndpoint'>

export type SamplerOptions = {
  /** Unix milliseconds. */
  readonly now: () => number
  /** How many calls go at once; 40 when absent. */
  readonly batch?: number
  /** Between two batches; 25 when absent. */
  readonly pauseMs?: number
}

type Run = Omit<SampleRequest, 'times'> &
  SamplerOptions & { readonly rpc: SamplerRpc; readonly marks: Marks; readonly endpoint: number }
type Found = ReadonlyMap<number, PoolSample>

const lackingMs = 10 * 60_000
/** Deeper than any reorganisation of the chains we know. */
const settledSeconds = 3_600
const mostKept = 10_000
const mostAnchors = 16
const refinements = 6
const toleratedSeconds = 12

/** Whether the times go on beyond the bar that the head lies in, and beyond what a head may lag: the state of the head is not that of later. */
function isAhead(times: readonly number[], headSeconds: number, { maxHeadAgeSeconds }: Chain): boolean {
  const [before = 0, last = 0] = times.slice(-2)
  return last - headSeconds > last - before + (maxHeadAgeSeconds ?? 0)
}

/** The first of the times whose state an endpoint has, and the time from which on it has it. */
async function reachOf(run: Run, times: readonly number[]): Promise<{ first: number; before: number }> {
  // The second goes to another endpoint where there is one.
  for (const _ of [1, 2]) if ((await readOldest(run, times[0] ?? 0)) !== null) return { first: 0, before: 0 }
  // Then at eight places, and at eight between the last of those without and the first with it.
  let [lacks, has] = [0, times.length]
  for (const _ of [1, 2]) {
    const places = Array.from({ length: 8 }, (__, nth) => lacks + Math.round(((has - lacks) * (nth + 1)) / 9))
    const open = [...new Set(places)].filter((index) => index > lacks && index < has)
    const found = await Promise.all(open.map((index) => readOldest(run, times[index] ?? 0)))
    const nth = found.findIndex((sample) => sample !== null)
    lacks = open[nth === -1 ? open.length - 1 : nth - 1] ?? lacks
    has = open[nth] ?? has
  }
  return { first: has, before: times[lacks] ?? 0 }
}

async function readOldest(run: Run, time: number): Promise<PoolSample | null> {
  if (run.signal?.aborted === true) throw left()
  const client = run.rpc.client(run.chain)
  const readBlock = async (blockNumber: bigint) => {
    const { number, timestamp } = await client.getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  const { seen } = await blockAt(readBlock, run.marks.newest, time, run.chain.blockTimeSeconds, run.marks.known())
  for (const block of seen) run.marks.learn(block)
  return readSample(run, time)
}

async function readSample(
  { rpc, chain, pool, marks }: Run,
  wanted: number,
  blockNumber = marks.before(wanted),
): Promise<PoolSample | null> {
  const query = mapQuery(sampleQuery(chain, pool), (state) => (timestamp: number) => ({
    wanted,
    timestamp,
    blockNumber,
    state,
  }))
  const sample = await readPast(rpc, chain, query, blockNumber)
  if (sample !== null) marks.learn({ number: blockNumber, timestamp: sample.timestamp })
  return sample
}

/** Samples from the newest time back to the first without one. */
async function readRun(run: Run, times: readonly number[], known: Found): Promise<readonly PoolSample[]> {
  const found = new Map(known)
  for (const { blockNumber, timestamp } of known.values()) run.marks.learn({ number: blockNumber, timestamp })
  const open = times.filter((time) => !found.has(time))
  // Spread out, so that the rest is looked for between blocks that are near.
  const every = Math.ceil(open.length / mostAnchors)
  const anchors = open.filter((_, index) => index % every === 0)
  const isRead =
    (await readInto(found, run, anchors)) &&
    (await readInto(
      found,
      run,
      open.filter((time) => !found.has(time)),
    ))
  if (isRead) await readNearer(found, run, open)
  const hole = times.findLastIndex((time) => !found.has(time))
  return times.slice(hole + 1).flatMap((time) => found.get(time) ?? [])
}

/** Reads those that lie off their time again, nearer by, until none does or none comes nearer. */
async function readNearer(found: Map<number, PoolSample>, run: Run, times: readonly number[]): Promise<void> {
  const tolerated = Math.max(toleratedSeconds, 2 * run.chain.blockTimeSeconds)
  for (let round = 0; round < refinements; round += 1) {
    const astray = times.filter((time) => {
      const sample = found.get(time)
      return sample !== undefined && (sample.timestamp >= time || run.marks.off(sample) > tolerated)
    })
    if (astray.length === 0 || !(await readInto(found, run, astray))) return
  }
}

/** In batches, newest first; false as soon as one is not answered. */
async function readInto(found: Map<number, PoolSample>, run: Run, times: readonly number[]): Promise<boolean> {
  const { batch = 40, pauseMs = 25, signal } = run
  const newestFirst = times.toReversed()
  for (let start = 0; start < newestFirst.length; start += batch) {
    if (start > 0) await sleep(pauseMs)
    if (signal?.aborted === true) throw left()
    const part = newestFirst.slice(start, start + batch)
    const samples = await Promise.all(
      part.map((time) => readSample(run, time, run.marks.nearer(time, found.get(time)))),
    )
    const end = samples.indexOf(null)
    for (const sample of samples.slice(0, end === -1 ? undefined : end)) {
      if (sample !== null) found.set(sample.wanted, nearerOf(found.get(sample.wanted), sample))
    }
    if (end !== -1) return false
  }
  return true
}

/** The later of those before the time, else the earlier. */
function nearerOf(one: PoolSample | undefined, other: PoolSample): PoolSample {
  if (one === undefined) return other
  const isBefore = (sample: PoolSample) => sample.timestamp < sample.wanted
  if (isBefore(one) !== isBefore(other)) return isBefore(one) ? one : other
  return one.blockNumber > other.blockNumber === isBefore(one) ? one : other
}

function left(): ToolError {
  return new ToolError('CANCELLED', 'The caller left before the answer was ready.')
}

/** Whether each sample can have come after the one before it, and the pool after the last: fees only ever grow, and no pool loses its price. */
function goOn(samples: readonly PoolSample[], pool: Pool): boolean {
  const growths = samples.map(({ state }) => state?.growth ?? null)
  if (pool.feeGrowthGlobal0X128 !== null && pool.feeGrowthGlobal1X128 !== null) {
    const { blockNumber } = pool
    const isLater = (samples.at(-1)?.blockNumber ?? 0n) <= blockNumber
    if (isLater) growths.push([pool.feeGrowthGlobal0X128, pool.feeGrowthGlobal1X128])
  }
  const grows = growths.every((growth, index) => {
    const before = growths[index - 1] ?? null
    return before === null || (growth !== null && [0, 1].every((side) => hasGrown(before[side], growth[side])))
  })
  return (
    grows &&
    samples.every(({ blockNumber, timestamp, state }, index) => {
      const before = samples[index - 1]
      if (before === undefined) return true
      const isLater = blockNumber >= before.blockNumber && timestamp >= before.timestamp
      return isLater && (before.state === null || state !== null)
    })
  )
}

/** The counter runs over by design; what a pool counts in weeks is far from half of it. */
function hasGrown(before = 0n, after = 0n): boolean {
  return BigInt.asUintN(256, after - before) < 2n ** 255n
}

/** The times of blocks, between which the others are taken to come evenly. */
function createMarks(newest: BlockTime): Marks {
  const marks = new Map([[newest.number, newest.timestamp]])
  let sorted: readonly BlockTime[] | null = null
  const known = () => {
    sorted ??= [...marks]
      .map(([number, timestamp]) => ({ number, timestamp }))
      .toSorted((a, b) => Number(a.number - b.number))
    return sorted
  }
  const around = (time: number) => {
    const all = known()
    const after = all.findIndex(({ timestamp }) => timestamp >= time)
    return after === -1 ? { low: newest, high: null } : { low: all[after - 1] ?? null, high: all[after] ?? newest }
  }
  const before = (time: number) => {
    const { low, high } = around(time)
    if (high === null) return newest.number
    if (low === null) return high.number
    const [blocks, seconds] = [Number(high.number - low.number), high.timestamp - low.timestamp]
    const along = Math.ceil((blocks * (time - low.timestamp)) / seconds) - 1
    return low.number + BigInt(Math.min(blocks - 1, Math.max(0, along)))
  }
  return {
    newest,
    before,
    nearer(time, sample) {
      const block = before(time)
      // That it is the last before the time the next one shows.
      return block === sample?.blockNumber && block < newest.number ? block + 1n : block
    },
    known: () => known().filter(({ number }) => number < newest.number),
    learn({ number, timestamp }) {
      if (number > newest.number || marks.has(number)) return
      marks.set(number, timestamp)
      sorted = null
    },
    off({ wanted, blockNumber, timestamp }) {
      const next = marks.get(blockNumber + 1n)
      const isLast = timestamp < wanted && (blockNumber === newest.number || (next !== undefined && next >= wanted))
      return isLast ? 0 : Math.abs(wanted - timestamp)
    },
  }
}

type Marks = {
  readonly newest: BlockTime
  /** Below the newest, oldest first. */
  known(): readonly BlockTime[]
  learn(block: BlockTime): void
  /** The last block before a time, as far as the times that are known tell. */
  before(time: number): bigint
  /** The same, or where that is the block of the sample there is, the one after it. */
  nearer(time: number, sample: PoolSample | undefined): bigint
  /** How far a sample may lie from that block, in seconds. */
  off(sample: PoolSample): number
}

function createSampleMemory(now: () => number) {
  const kept = new Map<string, PoolSample>()
  const nameOf = ({ chain, pool, endpoint }: Run, time: number) =>
    [chain.id, endpoint, pool.id.toLowerCase(), time].join()
  return {
    of(run: Run, times: readonly number[]): Found {
      const found = times.flatMap((time) => kept.get(nameOf(run, time)) ?? [])
      return new Map(found.map((sample) => [sample.wanted, sample]))
    },
    keep(run: Run, samples: readonly PoolSample[]): void {
      for (const sample of samples) {
        if (sample.wanted > now() / 1000 - settledSeconds) continue
        kept.delete(nameOf(run, sample.wanted))
        kept.set(nameOf(run, sample.wanted), sample)
      }
      for (const name of [...kept.keys()].slice(0, -mostKept)) kept.delete(name)
    },
  }
}
