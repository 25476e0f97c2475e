import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccounts } from '../accounts.ts'
import { anvilPath } from './start-anvil.ts'
import { feedHeartbeatSeconds, feedSpecs, toFeedAnswer } from '../seed/token-specs.ts'
import { readFeeds } from '../feeds/create-feeder.ts'
import { createLayout } from '../seed/layout.ts'
import { loadChain } from './load-chain.ts'
import { makeDump } from '../seed/make-dump.ts'
import { createMarket } from '../seed/market.ts'
import { readPool } from '../read-pool.fixture.ts'
import { history, historyHours } from '../seed/trading.ts'

const path = anvilPath(process.env)
const { testAccounts, ...parties } = devAccounts()
const layout = createLayout(parties)
const tradingHours = 6
const now = Math.floor(Date.now() / 1_000)
const folder = mkdtempSync(join(tmpdir(), 'svc-devnet-test-'))
const [fresh, stale, dayOld, untraded] = ['fresh', 'stale', 'day-old', 'untraded'].map((name) =>
  join(folder, `${name}.json`),
) as [string, string, string, string]

beforeAll(async () => {
  const make = { anvilPath: path, layout, testAccounts, tradingHours }
  writeFileSync(fresh, await makeDump({ ...make, nowTimestamp: now }))
  writeFileSync(stale, await makeDump({ ...make, nowTimestamp: now - 5 * 3_600 - 100 }))
  writeFileSync(dayOld, await makeDump({ ...make, nowTimestamp: now - 23 * 3_600 - 100 }))
  writeFileSync(untraded, await makeDump({ ...make, tradingHours: 0, nowTimestamp: now - 9 * 86_400 }))
})
afterAll(() => rmSync(folder, { recursive: true }))

const serving = (dump: string, at: number) => {
  const hours = dump === untraded ? 0 : tradingHours
  return { anvilPath: path, dump, layout, chainId: 31_337, port: 0, tradingHours: hours, now: () => at }
}

const served = async <T>(
  dump: string,
  at: number,
  read: (anvil: Awaited<ReturnType<typeof loadChain>>) => Promise<T>,
) => {
  const anvil = await loadChain(serving(dump, at))
  try {
    return await read(anvil)
  } finally {
    await anvil.stop()
  }
}

test('the same seed gives the same pools, whenever the chain was made', async () => {
  const pools = async (dump: string, at: number) =>
    await served(dump, at, async ({ client }) => {
      return await Promise.all(layout.pools.map(async (pool) => await readPool(client, layout, pool)))
    })
  const first = await pools(fresh, now)
  expect(await pools(stale, now - 5 * 3_600)).toEqual(first)
  const created = createMarket(history).pricesAt(historyHours - tradingHours)
  expect(first[1]!.price).not.toBeCloseTo(created.ETH, 1)
})

test('a fresh state is served as it is, with a block of the present on top', async () => {
  await served(fresh, now, async ({ client }) => {
    const head = await client.getBlock()
    expect(Math.abs(Number(head.timestamp) - now)).toBeLessThan(60)
    const posts = await Promise.all(head.transactions.map(async (hash) => await client.getTransaction({ hash })))
    // Every feed, and an order that lives from the start.
    const called = [...feedSpecs.map(({ symbol }) => layout.feeds[symbol]), layout.twamm.hook]
    expect(posts.map(({ to }) => to?.toLowerCase())).toEqual(called.map((address) => address.toLowerCase()))
  })
})

test('every feed answers of now when the chain is served, however old its state, at the market it was traded up to', async () => {
  for (const [dump, at, hour] of [
    [fresh, now, historyHours],
    [stale, now, historyHours + 5],
    [dayOld, now, historyHours + 23],
    [untraded, now, historyHours],
  ] as const) {
    await served(dump, at, async ({ client, usd }) => {
      const { timestamp } = await client.getBlock()
      const expected = createMarket(history).pricesAt(hour)
      expect(usd).toEqual(expected)
      const answers = await readFeeds(client, layout)
      for (const { symbol, asset } of feedSpecs) {
        const updatedAt = Number(timestamp)
        expect({ dump, symbol, ...answers[symbol] }).toEqual({
          dump,
          symbol,
          answer: toFeedAnswer(expected[asset]),
          updatedAt,
        })
      }
      expect(Math.abs(Number(timestamp) - now)).toBeLessThan(60)
    })
  }
})

test('a state without trades is served at the prices it is given, which its pools have had for as long as it has stood', async () => {
  const prices = { ...createMarket(history).pricesAt(historyHours), ETH: 3_210, WETH: 3_210, WBTC: 87_000 }
  const anvil = await loadChain({ ...serving(untraded, now), prices })
  try {
    expect(anvil.usd).toEqual(prices)
    const [head, answers] = [await anvil.client.getBlock(), await readFeeds(anvil.client, layout)]
    expect(Math.abs(Number(head.timestamp) - now)).toBeLessThan(60)
    expect(answers.ETH).toEqual({ answer: toFeedAnswer(3_210), updatedAt: Number(head.timestamp) })
    const pool = layout.pools[1]!
    expect(Math.abs((await readPool(anvil.client, layout, pool)).price / 3_210 - 1)).toBeLessThan(0.001)
    const place = { address: pool.id, abi: oracleAbi } as const
    const [[earlier = 0n, latest = 0n]] = await anvil.client.readContract({
      ...place,
      functionName: 'observe',
      args: [[1_800, 0]],
    })
    const [, tick] = await anvil.client.readContract({ ...place, functionName: 'slot0' })
    expect(Math.abs(Number(latest - earlier) / 1_800 - tick)).toBeLessThan(1)
  } finally {
    await anvil.stop()
  }
})

test('feeds go on by their rule in the hours that a stale state is traded up', async () => {
  await served(dayOld, now, async ({ client }) => {
    const head = await client.getBlockNumber()
    const market = createMarket(history)
    for (const back of [2n, 10n, 20n]) {
      const blockNumber = head - back
      const { timestamp } = await client.getBlock({ blockNumber })
      const usd = market.pricesAt(historyHours + 24 - Number(back))
      const answers = await readFeeds(client, layout, blockNumber)
      for (const { symbol, asset, deviationBps } of feedSpecs) {
        const { answer, updatedAt } = answers[symbol]
        expect(Math.abs(usd[asset] / (Number(answer) / 1e8) - 1)).toBeLessThan(deviationBps / 10_000)
        expect(Number(timestamp) - updatedAt).toBeLessThan(feedHeartbeatSeconds)
        expect(Number(timestamp) - updatedAt).toBeGreaterThanOrEqual(0)
      }
    }
  })
})

test('a stale state is traded up to now, hour by hour, at the market of those hours', async () => {
  await served(stale, now, async ({ client }) => {
    const head = await client.getBlockNumber()
    const blocks = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => await client.getBlock({ blockNumber: head - 5n + BigInt(i) })),
    )
    const ages = blocks.map((block) => now - Number(block.timestamp))
    expect(ages.slice(0, 5).map((age) => Math.floor(age / 3_600))).toEqual([4, 3, 2, 1, 0])
    expect(blocks.slice(0, 5).every((block) => block.transactions.length > 0)).toBe(true)
    expect(Math.abs(ages[5]!)).toBeLessThan(60)
    const { ETH } = createMarket(history).pricesAt(historyHours + 5)
    const { price } = await readPool(client, layout, layout.pools[1]!)
    expect(Math.abs(price / ETH - 1)).toBeLessThan(0.001)
  })
})

const oracleAbi = parseAbi([
  'function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[])',
  'function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)',
])
