import { startSubgraph, type Subgraph, type SubgraphFault } from '@svc/devnet/subgraph'
import { useDevnet } from '@svc/devnet/testing'
import { Secret } from '@svc/wallet/core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Pool, PoolBars } from '../ports.ts'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { createPriceSource } from '../prices/create-price-source.ts'
import { createSubgraphs } from '../subgraph/create-subgraphs.ts'
import { createBarMemory } from './bars/bar-chunks.ts'
import { createPoolHistory } from './create-pool-history.ts'
import { readPeriods } from './periods/read-periods.ts'

const devnet = useDevnet({ history: true })
let subgraph: Subgraph
let bench: ReturnType<typeof createReadsBench>

beforeAll(async () => {
  subgraph = await startSubgraph({ devnet: devnet() })
})
afterAll(async () => {
  await subgraph.stop()
})
beforeEach(() => {
  subgraph.setFaults([])
  bench = createReadsBench(devnet())
})

const now = Math.floor(Date.now() / 1000)
const hour = { from: now - 20 * 86_400, to: now, barSeconds: 3_600 }

function historyOf(timeoutMs = 120_000, isPriced = true) {
  const prices = isPriced
    ? createPriceSource({ rpc: bench.rpc, tokens: bench.tokens, liquidity: bench.reads, pickInt: () => 0 })
    : { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const }
  const ports = { rpc: bench.rpc, liquidity: bench.reads, prices }
  return createPoolHistory(ports, {
    subgraphs: createSubgraphs({ apiKey: new Secret('k'), timeoutMs, pauseMs: 1 }),
    bars: createBarMemory(),
    now: Date.now,
    checks: { pickInt: (below) => Math.floor(below / 2), withinMs: 60_000 },
  })
}

async function readBoth(version: Pool['version'], period = hour): Promise<[PoolBars, PoolBars]> {
  const { id } = devnet().pools.find((one) => one.version === version && (version === 'v2' || one.fee === 500))!
  const pool = await bench.reads.pool(bench.chain, { version, id })
  const history = historyOf()
  const ask = (subgraphs: Subgraph['urls'] | undefined) =>
    history.read({ chain: { ...bench.chain, ...(subgraphs && { subgraphs }) }, pool, ...period })
  return [await ask(undefined), await ask(subgraph.urls)]
}

const largest = (a: Float64Array, b: Float64Array) => Math.max(...a.map((value, index) => Math.abs(value - b[index]!)))
const sum = (column: Float64Array | null) => column!.reduce((total, value) => total + value, 0)

describe('hours out of a subgraph', () => {
  test.each(['v2', 'v3', 'v4'] as const)('of a %s pool are those of its swap logs', async (version) => {
    const [exact, reported] = await readBoth(version)
    expect([reported.source, reported.isEstimate]).toEqual(['subgraph', true])
    expect([...reported.bars.startsAt]).toEqual([...exact.bars.startsAt])
    expect(largest(reported.bars.openTick.slice(1), exact.bars.openTick.slice(1))).toBeLessThan(1e-3)
    expect(largest(reported.bars.closeTick, exact.bars.closeTick)).toBeLessThan(1e-3)
    // Reserves tell no more of an hour than the price of its end: of a pair the range is narrower, never wider.
    const narrower = reported.bars.highTick.map((tick, index) => exact.bars.highTick[index]! - tick)
    expect(Math.min(...narrower)).toBeGreaterThan(-1e-3)
    expect(Math.max(...narrower)).toBeLessThan(version === 'v2' ? 2_000 : 1e-3)
    expect(sum(reported.bars.amount0In) / sum(exact.bars.amount0In)).toBeCloseTo(1, 2)
    expect(sum(reported.bars.amount1In) / sum(exact.bars.amount1In)).toBeCloseTo(1, 2)
    expect(sum(reported.figures.volumeUsd) / sum(exact.figures.volumeUsd)).toBeCloseTo(1, 2)
    expect(sum(reported.figures.feesUsd) / sum(exact.figures.feesUsd)).toBeCloseTo(1, 2)
    expect(reported.figures.tvlUsd!.every((value) => value > 100_000)).toBe(true)
    const quiet = [...exact.figures.trades!].filter((trades) => trades === 0).length
    expect([reported.completeness.gaps, reported.completeness.gapsAt.length]).toEqual([quiet, quiet])
    const note = `The subgraph has nothing of ${quiet} bars: they were taken to be without a trade. `
    expect(reported.completeness.note).toMatch(
      new RegExp(
        `^${quiet === 0 ? '' : note}Held against the pool's swap logs, [4-8] of its 480 hours agree, those that`,
      ),
    )
  })

  test.each(['v2', 'v3', 'v4'] as const)(
    'and days of a %s pool end with their last price, whatever close says',
    async (version) => {
      const [exact, reported] = await readBoth(version, { ...hour, barSeconds: 86_400 })
      expect(reported.source).toBe('subgraph')
      expect(largest(reported.bars.closeTick, exact.bars.closeTick)).toBeLessThan(1e-3)
    },
  )

  test('before the first are told missing, as in swap logs', async () => {
    const [exact, reported] = await readBoth('v3', { from: now - 900 * 3_600, to: now, barSeconds: 3_600 })
    expect(reported.completeness).toMatchObject({ barsExpected: 901, note: expect.stringContaining('tells nothing') })
    // A pool opens a little before its first trade.
    expect(reported.bars.startsAt[0]).toBeLessThanOrEqual(exact.bars.startsAt[0]!)
    expect(exact.completeness.note).toContain(`${901 - exact.bars.startsAt.length} bars at the beginning are left out`)
  })

  test('are the same in pages', async () => {
    const { id } = devnet().pools.find((one) => one.version === 'v3' && one.fee === 500)!
    const pool = await bench.reads.pool(bench.chain, { version: 'v3', id })
    const chain = { ...bench.chain, subgraphs: subgraph.urls }
    const ask = createSubgraphs({ apiKey: null, timeoutMs: 20_000 }).of(chain, 'v3')!
    const grid = { start: Math.floor(now / 3_600) * 3_600 - 250 * 3_600, count: 250, barSeconds: 3_600 } as const
    const whole = await readPeriods(ask, pool, grid)
    const before = subgraph.asked().length
    expect(await readPeriods(ask, pool, grid, 100)).toEqual(whole)
    expect(subgraph.asked().length - before).toBe(Math.floor(whole.periods.length / 100) + 1)
  })

  test('say whose word the dollars are where neither token has a price', async () => {
    const { id } = devnet().pools.find((one) => one.version === 'v3' && one.fee === 500)!
    const pool = await bench.reads.pool(bench.chain, { version: 'v3', id })
    const request = { chain: { ...bench.chain, subgraphs: subgraph.urls }, pool, ...hour, from: now - 86_400 }
    const [priced, unpriced] = [await historyOf().read(request), await historyOf(20_000, false).read(request)]
    expect(priced.completeness.note).not.toContain('dollars')
    expect(unpriced.source).toBe('subgraph')
    expect(unpriced.completeness.note).toContain("Its dollars are the subgraph's own word")
  })

  test('take no key to a place that is not the gateway', async () => {
    await readBoth('v3')
    expect(subgraph.asked().map(({ authorization }) => authorization)).not.toContain('Bearer k')
  })
})

const faults: readonly (readonly [label: string, fault: SubgraphFault, says: string])[] = [
  ['that is behind', { kind: 'stale', seconds: 3_600 }, 'seconds behind its chain'],
  ['that answers with errors', { kind: 'errors', message: 'bad indexers: key k' }, 'refused the query'],
  ['that fails', { kind: 'status', status: 503 }, 'answered with status 503'],
  ['that refuses the key', { kind: 'status', status: 401 }, 'answered with status 401'],
  ['that hangs up', { kind: 'drop' }, 'could not be reached'],
  ['that says nothing', { kind: 'stall' }, 'did not answer within 300 ms'],
  ['that never ends', { kind: 'endless' }, ''],
  ['that is no subgraph', { kind: 'say', body: '<html>k</html>' }, 'something else than GraphQL'],
  [
    'of another form',
    { kind: 'say', body: '{"data":{"periods":[{"startsAt":"soon"}]}}' },
    'in a form that it never had',
  ],
  ['without data', { kind: 'say', body: '{"data":null}' }, 'without data'],
]

describe('a subgraph', () => {
  test.each(faults)('%s is passed over for the swap logs, and the answer says so', async (_label, fault, says) => {
    subgraph.setFaults([{ fault }])
    const { id } = devnet().pools.find((one) => one.version === 'v3' && one.fee === 500)!
    const pool = await bench.reads.pool(bench.chain, { version: 'v3', id })
    const chain = { ...bench.chain, subgraphs: subgraph.urls }
    const read = await historyOf(fault.kind === 'stall' ? 300 : 20_000).read({
      chain,
      pool,
      ...hour,
      from: now - 86_400,
    })
    expect(read.source).toBe('rpc')
    expect(read.completeness).toMatchObject({ gaps: 0, barsFound: read.completeness.barsExpected })
    expect(read.completeness.note).toMatch(/^The subgraph /)
    expect(read.completeness.note).toContain(says)
    expect(read.completeness.note).toMatch(/: this is out of swap logs\.$/)
    expect(read.completeness.note).not.toMatch(/127\.0\.0\.1|key|html/)
  })

  test('that stumbles once is asked again', async () => {
    subgraph.setFaults([{ fault: { kind: 'status', status: 502 }, times: 2 }])
    const [, reported] = await readBoth('v3')
    expect(reported.source).toBe('subgraph')
  })

  test('that is behind serves what it has of the past', async () => {
    subgraph.setFaults([{ fault: { kind: 'stale', seconds: 7_200 } }])
    const [, reported] = await readBoth('v3', { from: now - 10 * 86_400, to: now - 5 * 86_400, barSeconds: 3_600 })
    expect(reported.source).toBe('subgraph')
    expect(reported.completeness.note).toMatch(/^The subgraph is 7200 seconds behind the chain\. .*Held against/)
  })
})

describe('the swap logs of a pool', () => {
  test.each(['v3', 'v4'] as const)('begin with the price that a %s pool was created at', async (version) => {
    const { id } = devnet().pools.find((one) => one.version === version && one.fee === 500)!
    const pool = await bench.reads.pool(bench.chain, { version, id })
    const { created, swaps, complete } = await bench.reads.swaps(bench.chain, pool, 0)
    const { bars, completeness } = await historyOf().read({
      chain: bench.chain,
      pool,
      from: created!.timestamp - 86_400,
      to: created!.timestamp + 10 * 86_400,
      barSeconds: 60,
    })
    expect([complete, completeness.hasAllTrades]).toEqual([true, true])
    expect(created!.timestamp).toBeLessThan(swaps[0]!.timestamp)
    expect(bars.startsAt[0]).toBe(Math.floor(created!.timestamp / 60) * 60)
    expect(bars.openTick[0]).toBeCloseTo((2 * Math.log(Number(created!.sqrtPriceX96) / 2 ** 96)) / Math.log(1.0001), 6)
    const first = bars.startsAt.findIndex((startsAt) => startsAt + 60 > swaps[0]!.timestamp)
    expect([bars.openTick[first], bars.amount0In[0]]).toEqual([bars.openTick[0], 0])
    expect(bars.closeTick[first]).not.toBe(bars.openTick[0])
  })
})
