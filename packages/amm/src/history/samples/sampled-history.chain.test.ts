import { feeGrowthFromSwaps, MAX_TICK, MIN_TICK, unpackProtocolFee } from '@svc/lp-math'
import { useDevnet } from '@svc/devnet/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HistoryPorts, Pool, SwapRecord, Version } from '../../ports.ts'
import { createPriceSource } from '../../prices/create-price-source.ts'
import { ToolError } from '../../tool-error.ts'
import { createReadsBench } from '../../liquidity/reads-bench.fixture.ts'
import { createSubgraphs } from '../../subgraph/create-subgraphs.ts'
import { createBarMemory } from '../bars/bar-chunks.ts'
import { createPoolHistory } from '../create-pool-history.ts'
import { barsOfSamples } from './read-sampled-bars.ts'
import { createPoolSampler } from './create-pool-sampler.ts'

const devnet = useDevnet()
const hours = 24
/** Of the chain, which is ahead of the clock by as many hours: Unix seconds, whole hours. */
let [start, end] = [0, 0]

beforeAll(async () => {
  start = Math.ceil(Date.now() / 3_600_000) * 3_600 + 3_600
  end = start + hours * 3_600
  const pools = devnet()
    .pools.filter(({ version, fee }) => version === 'v2' || fee === 500)
    .map(({ id }) => id)
  for (const id of pools) await devnet().trade(1, 7, [id])
  for (let hour = 0; hour < hours; hour += 1) {
    // A quiet hour now and then, and blocks that come in no rhythm.
    for (const minute of [0, 7, 31, 44]) {
      await devnet().mineTo(start + hour * 3_600 + minute * 60 + (hour % 3) * 50)
      if (hour % 5 !== 3 && minute > 0) await devnet().trade(1, hour * 100 + minute, pools)
    }
  }
  await devnet().mineTo(end)
}, 120_000)

async function world(version: Version, endpoint: ReturnType<typeof withoutPast> | null = null) {
  const bench = createReadsBench(devnet(), endpoint?.tap, endpoint?.retell)
  const { id } = devnet().pools.find((one) => one.version === version && (version === 'v2' || one.fee === 500))!
  const pool = await bench.reads.pool(bench.chain, { version, id })
  const { swaps } = await createReadsBench(devnet()).reads.swaps(bench.chain, pool, 0)
  return { bench, pool, swaps, request: { chain: bench.chain, pool, from: start, to: end, barSeconds: 3_600 } }
}

/** Whose swap logs reach back so many hours, or are refused. */
function historyOf({ bench }: Awaited<ReturnType<typeof world>>, logHours: number | null) {
  const liquidity: HistoryPorts['liquidity'] = {
    async swaps(chain, pool, from, to, limits) {
      if (logHours === null) throw new ToolError('RPC_REFUSED', 'No logs here.', { details: [] })
      const since = end - logHours * 3_600
      const read = await bench.reads.swaps(chain, pool, Math.max(from, since), to, limits)
      return from >= since ? read : { ...read, complete: false, completeFrom: since, created: null }
    },
  }
  const prices = createPriceSource({ rpc: bench.rpc, tokens: bench.tokens, liquidity: bench.reads, pickInt: () => 0 })
  const subgraphs = createSubgraphs({ apiKey: null })
  const checks = { pickInt: () => 0 }
  const options = { subgraphs, bars: createBarMemory(), now: () => end * 1_000, checks }
  return createPoolHistory({ rpc: bench.rpc, liquidity, prices }, options)
}

const atOrBefore = (swaps: readonly SwapRecord[], block: bigint) => swaps.findLast((swap) => swap.blockNumber <= block)
const near = (a: number, b: number, part: number) => Math.abs(a - b) <= part * Math.max(Math.abs(a), Math.abs(b))
const bounds = Array.from({ length: hours + 1 }, (_, hour) => hour)

function growthIn(pool: Pool, swaps: readonly SwapRecord[], before: SwapRecord, range = [MIN_TICK, MAX_TICK]) {
  const [tickLower = 0, tickUpper = 0] = range
  const logs = swaps.map((swap) => ({ ...swap, sqrtPriceX96After: swap.sqrtPriceX96, feePips: swap.fee }))
  if (pool.version === 'v2') throw new Error('A pair has no path of a price.')
  const protocolFee = unpackProtocolFee(pool.version, pool.protocolFee)
  const options = { start: before, swaps: logs, feePips: pool.fee, protocolFee, tickLower, tickUpper }
  const { growth0X128, growth1X128 } = feeGrowthFromSwaps(options)
  return [Number(growth0X128) / 2 ** 128, Number(growth1X128) / 2 ** 128] as const
}

/** An endpoint that keeps the state of the last blocks alone, and counts what it was asked of those before. */
function withoutPast(keepsFrom: bigint) {
  const refused = new Set<number>()
  const isPast = ({ method, params }: Call) =>
    method === 'eth_call' && params[1] !== 'latest' && BigInt(String(params[1])) < keepsFrom
  const listOf = <Item>(text: string) => [JSON.parse(text) as Item | Item[]].flat() as Item[]
  return {
    refused,
    tap: (body: string) => {
      for (const call of listOf<Call>(body)) if (isPast(call)) refused.add(call.id)
      return null
    },
    retell: (text: string) => {
      const answers = listOf<{ id: number }>(text).map((answer) =>
        refused.has(answer.id) ? { jsonrpc: '2.0', id: answer.id, error: refusal } : answer,
      )
      return JSON.stringify(text.startsWith('[') ? answers : answers[0])
    },
  }
}

/** An endpoint that gives no logs, and takes one call at a time. */
function withoutLogsOrBatches() {
  const refused = new Set<number>()
  let batches = 0
  return {
    refused,
    batches: () => batches,
    tap: (body: string) => {
      const calls = JSON.parse(body) as Call | Call[]
      if (Array.isArray(calls)) {
        batches += 1
        return Response.json({ error: 'one call at a time' }, { status: 400 })
      }
      if (calls.method === 'eth_getLogs') refused.add(calls.id)
      return null
    },
    retell: (text: string) => {
      const answer = JSON.parse(text) as { readonly id: number }
      const error = { code: -32_601, message: 'the method eth_getLogs does not exist' }
      return refused.has(answer.id) ? JSON.stringify({ jsonrpc: '2.0', id: answer.id, error }) : text
    },
  }
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }
const refusal = { code: -32_000, message: 'missing trie node' }

describe.each(['v2', 'v3', 'v4'] as const)('samples of a %s pool', (version) => {
  test('hold the price of the last log before each hour, and stand in the last block before it', async () => {
    const { bench, pool, swaps } = await world(version)
    const times = bounds.map((hour) => start + hour * 3_600)
    const read = await createPoolSampler(bench.rpc, { now: Date.now }).read({ chain: bench.chain, pool, times })
    expect(read).toMatchObject({ secondsOff: 0, samples: times.map((wanted) => ({ wanted })) })
    for (const { wanted, timestamp, blockNumber, state } of read!.samples) {
      expect(timestamp).toBeLessThan(wanted)
      expect(atOrBefore(swaps, blockNumber)).toBe(swaps.findLast((swap) => swap.timestamp < wanted))
      const { sqrtPriceX96, liquidity } = atOrBefore(swaps, blockNumber) ?? {
        sqrtPriceX96: state!.sqrtPriceX96,
        liquidity: state!.liquidity,
      }
      expect(state).toMatchObject({ sqrtPriceX96, liquidity })
    }
  })

  test('tell the bars that the logs do not reach: prices as these, and which is which', async () => {
    const here = await world(version)
    const exact = await historyOf(here, 1_000).read(here.request)
    const told = await historyOf(here, 6).read(here.request)
    expect([exact.source, told.source, told.isEstimate]).toEqual(['rpc', 'archive', true])
    expect([...told.bars.startsAt]).toEqual([...exact.bars.startsAt])
    expect(told.completeness).toMatchObject({ barsExpected: hours, barsFound: hours, hasAllTrades: true })
    expect(told.completeness.note).toMatch(
      /^Bars before .*Z come from the state of the pool at past blocks, one each hour/,
    )
    for (const column of ['openTick', 'closeTick'] as const) {
      for (const [bar, tick] of exact.bars[column].entries())
        expect(Math.abs(tick - told.bars[column][bar]!)).toBeLessThan(1e-6)
    }
    expect(told.figures.trades).toBeNull()
    for (const figure of ['volumeUsd', 'feesUsd'] as const) {
      const [a, b] = [exact, told].map(({ figures }) => figures[figure]!.reduce((sum, one) => sum + one, 0))
      expect(near(a!, b!, 0.05), `${figure}: ${a} and ${b}`).toBe(true)
    }
  })

  test('tell all where the endpoint gives no logs', async () => {
    const here = await world(version)
    const told = await historyOf(here, null).read(here.request)
    expect(told.completeness).toMatchObject({ barsFound: hours, note: expect.stringContaining('gave no swap logs') })
  })
})

test.each(['v3', 'v4'] as const)(
  'fees of a %s pool lie in every hour within what its samples bound',
  async (version) => {
    const { bench, pool, swaps } = await world(version)
    const times = bounds.map((hour) => start + hour * 3_600)
    const { samples } = (await createPoolSampler(bench.rpc, { now: Date.now }).read({
      chain: bench.chain,
      pool,
      times,
    }))!
    const { traded, reach, unpaid } = barsOfSamples(pool, samples, 3_600)
    const { bars } = traded
    const seen = { all: 0, none: 0, some: 0 }
    for (const [bar, startsAt] of bars.startsAt.entries()) {
      const before = swaps.findLast(({ timestamp }) => timestamp < startsAt)
      if (before === undefined) continue
      const ofHour = swaps.filter(({ timestamp }) => timestamp >= startsAt && timestamp < startsAt + 3_600)
      const whole = [bars.feeGrowth!.token0[bar]!, bars.feeGrowth!.token1[bar]!] as const
      const exact = growthIn(pool, ofHour, before)
      // What is worked out of logs leaves out units that the contracts round to the fee.
      const units = (4 * ofHour.length) / Number(before.liquidity)
      const isSame = (one: number, other: number) => Math.abs(one - other) <= 1e-6 * one + units
      for (const side of [0, 1] as const)
        expect(isSame(whole[side], exact[side]), `${whole[side]} and ${exact[side]} in bar ${bar}`).toBe(true)
      const [low, high] = [reach.lowTick[bar]!, reach.highTick[bar]!]
      for (const { tick } of [before, ...ofHour])
        expect(low <= tick + 1 && high >= tick, `${low} ${tick} ${high}`).toBe(true)
      const at = Math.floor(bars.openTick[bar]!)
      for (const range of [
        [at - 2_000, at + 2_000],
        [at - 5, at + 5],
        [at, MAX_TICK],
        [at + 300, MAX_TICK],
        [MIN_TICK, at - 300],
      ] as const) {
        const inside = growthIn(pool, ofHour, before, [...range])
        const isIn = range[0] <= low && range[1] >= high
        const isOut = range[1] <= low || range[0] >= high
        seen[isIn ? 'all' : isOut ? 'none' : 'some'] += 1
        for (const side of [0, 1] as const) {
          const most = isOut ? 0 : whole[side] * (1 + 1e-6) + units
          const isBound = isIn ? isSame(whole[side], inside[side]) : inside[side] <= most
          expect(isBound, `${inside[side]} of ${whole[side]} in bar ${bar}, ${range.join(' to ')}`).toBe(true)
        }
      }
    }
    expect(unpaid).toBe(0)
    expect(Math.min(seen.all, seen.none, seen.some)).toBeGreaterThan(hours / 4)
  },
)

describe('an endpoint', () => {
  test.each(['v2', 'v3', 'v4'] as const)(
    'that refuses logs, and batches too, tells the past of a %s pool out of its state all the same',
    async (version) => {
      const endpoint = withoutLogsOrBatches()
      const bench = createReadsBench(devnet(), endpoint.tap, endpoint.retell)
      const { pool, request } = await world(version)
      const prices = createPriceSource({ ...bench, liquidity: bench.reads, pickInt: () => 0 })
      const ports = { rpc: bench.rpc, liquidity: bench.reads, prices }
      const options = {
        subgraphs: createSubgraphs({ apiKey: null }),
        bars: createBarMemory(),
        checks: { pickInt: () => 0 },
      }
      const history = createPoolHistory(ports, { ...options, now: () => end * 1_000 })
      const told = await history.read({ ...request, chain: bench.chain, pool })
      const whole = await historyOf(await world(version), null).read(request)
      expect([told.source, told.completeness]).toEqual(['archive', whole.completeness])
      expect(told.bars).toEqual(whole.bars)
      expect(endpoint.refused.size).toBeGreaterThan(0)
      expect(endpoint.batches()).toBeGreaterThan(0)
    },
  )

  test('without old state leaves it at the logs, says what would mend that, and is not asked again for a while', async () => {
    const head = await createReadsBench(devnet()).rpc.client(devnet().chain).getBlockNumber()
    const endpoint = withoutPast(head - 3n)
    const here = await world('v3', endpoint)
    const history = historyOf(here, 6)
    const told = await history.read(here.request)
    expect([told.source, told.completeness.hasAllTrades]).toEqual(['rpc', false])
    expect(told.bars.startsAt.length).toBeLessThanOrEqual(6)
    expect(told.completeness.note).toContain('an endpoint in SVC_RPC_URL_31337 that keeps old state (archive) tells')
    const before = endpoint.refused.size
    expect(before).toBeGreaterThan(0)
    await history.read({ ...here.request, from: start - 3_600 })
    expect(endpoint.refused.size).toBe(before)
  })

  test('that keeps a part of it tells the bars since then', async () => {
    const { rpc, chain } = createReadsBench(devnet())
    const kept = (await rpc.client(chain).getBlockNumber()) - 40n
    const { timestamp } = await rpc.client(chain).getBlock({ blockNumber: kept })
    const here = await world('v3', withoutPast(kept))
    const told = await historyOf(here, 1).read(here.request)
    expect([told.source, told.completeness.hasAllTrades]).toEqual(['archive', false])
    expect(told.bars.startsAt[0]).toBeGreaterThan(Number(timestamp))
    expect(told.bars.startsAt[0]).toBeLessThan(Number(timestamp) + 2 * 3_600)
    expect(told.completeness.note).toMatch(/^Nothing is known before .*SVC_RPC_URL_31337/)
  })

  test('tells nothing of times that the chain has not come to', async () => {
    const { bench, pool } = await world('v3')
    const sampler = createPoolSampler(bench.rpc, { now: Date.now })
    const read = (hour: number) => {
      const times = [hour - 1, hour].map((one) => start + one * 3_600)
      return sampler.read({ chain: bench.chain, pool, times })
    }
    expect([(await read(hours))?.samples.length, await read(hours + 2)]).toEqual([2, null])
  })

  test('leaves samples in memory to answers whose head it gives alone', async () => {
    const { bench, pool } = await world('v3')
    const asked = { place: 0, reads: 0 }
    const rpc: typeof bench.rpc = {
      ...bench.rpc,
      nextEndpoint: (chain) => ({ ...bench.rpc.nextEndpoint!(chain)!, place: asked.place }),
      past(chain) {
        asked.reads += 1
        return bench.rpc.past(chain)
      },
    }
    const sampler = createPoolSampler(rpc, { now: () => (end + 7_200) * 1_000 })
    const times = bounds.map((hour) => start + hour * 3_600)
    const read = async (place: number) => {
      Object.assign(asked, { place, reads: 0 })
      await sampler.read({ chain: bench.chain, pool, times })
      return asked.reads
    }
    const first = await read(0)
    expect(first).toBeGreaterThan(hours)
    expect([await read(0), await read(1), await read(1)]).toEqual([0, first, 0])
  })

  test('whose fees shrink is not believed', async () => {
    const { pool } = await world('v3')
    const early = await createReadsBench(devnet()).reads.pool(devnet().chain, { version: 'v3', id: pool.id })
    const here = await world('v3')
    const shrunk = { ...here.pool, feeGrowthGlobal0X128: early.feeGrowthGlobal0X128! / 2n }
    const told = await historyOf(here, 6).read({ ...here.request, pool: shrunk })
    expect(told.source).toBe('rpc')
  })
})

describe("the pool's own oracle", () => {
  test('tells prices alone at the bounds of the bars where no old state is kept, as far as it recalls', async () => {
    const endpoint = withoutPast((await createReadsBench(devnet()).rpc.client(devnet().chain).getBlockNumber()) - 3n)
    const here = await world('v3', endpoint)
    const exact = await historyOf(here, 1_000).read(here.request)
    const told = await historyOf(here, 2).read({ ...here.request, needs: 'prices' })
    expect([told.source, told.isEstimate, told.bars.feeGrowth, Object.values(told.figures)]).toEqual([
      'oracle',
      true,
      null,
      [null, null, null, null],
    ])
    expect(told.completeness.hasAllTrades).toBe(false)
    expect(told.completeness.note).toMatch(
      /Bars before .*Z are prices that the pool's own oracle recalls at their bounds/,
    )
    expect(told.bars.startsAt.length).toBeGreaterThan(12)
    const from = exact.bars.startsAt.indexOf(told.bars.startsAt[0]!)
    const last = told.bars.startsAt.indexOf(end - 3 * 3_600)
    for (let bar = 0; bar < last; bar += 1) {
      expect(told.bars.closeTick[bar]).toBe(Math.floor(exact.bars.closeTick[from + bar]!))
    }
    expect((await historyOf(here, 2).read(here.request)).source).toBe('rpc')
  })
})
