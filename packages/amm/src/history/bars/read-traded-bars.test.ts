import { applyPoolEvent, createPoolState, getAmountsForLiquidity, getSqrtPriceAtTick, swapInPool } from '@svc/lp-math'
import { openStore } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HistoryRequest, Pool, SwapRecord } from '../../ports.ts'
import { createBarMemory } from './bar-chunks.ts'
import { keptUnder, readTradedBars, readSpan } from './read-traded-bars.ts'
import { turnsTaken } from '../../../../runtime/src/turns-taken.fixture.ts'

const hour = 3_600
const day = 86_400
const start = 1_700_006_400 - (1_700_006_400 % day)
const now = start + 10 * day

/** A swap every forty minutes over ten days, out of the exact replay, and how often, and since when, they were read. */
const { swaps, state } = history()

function history() {
  const pool = createPoolState({ feePips: 500, tickSpacing: 10 })
  const sqrtPriceX96 = getSqrtPriceAtTick(-7)
  applyPoolEvent(pool, { eventName: 'Initialize', args: { sqrtPriceX96, tick: -7 }, timestamp: start - day })
  for (const [reach, amount] of [
    [887_270, 10n ** 18n],
    [500, 10n ** 18n],
  ] as const) {
    const [tickLower, tickUpper] = [-reach, reach]
    const owed = getAmountsForLiquidity(
      sqrtPriceX96,
      getSqrtPriceAtTick(tickLower),
      getSqrtPriceAtTick(tickUpper),
      amount,
      true,
    )
    const args = { owner: '0x0000000000000000000000000000000000000001', tickLower, tickUpper, amount, ...owed } as const
    applyPoolEvent(pool, { eventName: 'Mint', args, timestamp: start - day })
  }
  const swaps = Array.from({ length: 360 }, (_, index): SwapRecord => {
    const sqrtPriceLimitX96 = getSqrtPriceAtTick(Math.round(1_000 * Math.sin(index / 20)) + 3 * (index % 2))
    const timestamp = start + index * 2_400
    const zeroForOne = sqrtPriceLimitX96 < pool.sqrtPriceX96
    const order = { zeroForOne, exactIn: true, amountSpecified: 10n ** 30n, sqrtPriceLimitX96, timestamp }
    return {
      ...swapInPool(pool, order),
      timestamp,
      blockNumber: BigInt(index),
      logIndex: 0,
      transactionHash: '0x',
      fee: 500,
    }
  })
  return { swaps, state: pool }
}

type Lie = (swaps: readonly SwapRecord[]) => readonly SwapRecord[]

function chainOf({ logsFrom = 0, lie = (reported) => reported }: { logsFrom?: number; lie?: Lie } = {}) {
  const asked: number[] = []
  return {
    asked,
    liquidity: {
      async swaps(_chain: unknown, _pool: unknown, from: number, to = Infinity) {
        asked.push(from)
        const completeFrom = Math.max(from, logsFrom)
        const found = swaps.filter(({ timestamp }) => timestamp >= completeFrom && timestamp <= to)
        return { swaps: lie(found), completeFrom, complete: completeFrom === from, created: null }
      },
    },
  }
}

const chain = { id: 1 } as Chain
const pool = {
  id: '0xAB',
  version: 'v3',
  fee: 500,
  tickSpacing: 10,
  protocolFee: 0,
  sqrtPriceX96: state.sqrtPriceX96,
  blockNumber: 359n,
} as Partial<Pool> as Pool
const request = (from: number, to: number): HistoryRequest => ({ chain, pool, from, to, barSeconds: hour })

describe('bars out of swap logs', () => {
  test('are the same whether some were kept or none, to the last digit', async () => {
    const periods: readonly (readonly [number, number])[] = [
      [start + 2 * day + 100, start + 5 * day],
      [start + 3 * day, now],
      [start + 2 * day + 5 * hour, start + 3 * day],
      [start + 4 * day + 1, start + 4 * day + 2],
      [start + day, now],
    ]
    const kept = createBarMemory()
    for (const [from, to] of periods) {
      const fresh = await readTradedBars(chainOf(), createBarMemory(), request(from, to), now * 1000)
      const again = await readTradedBars(chainOf(), kept, request(from, to), now * 1000)
      expect(again).toEqual(fresh)
      expect(fresh.traded.bars.startsAt[0]).toBe(Math.floor(from / hour) * hour)
      expect(fresh.traded.bars.startsAt.length).toBe(Math.ceil(to / hour) - Math.floor(from / hour))
    }
  })

  test('are read again only from where what was kept ends', async () => {
    const { asked, liquidity } = chainOf()
    const kept = createBarMemory()
    await readTradedBars({ liquidity }, kept, request(start + 2 * day, start + 6 * day), now * 1000)
    await readTradedBars({ liquidity }, kept, request(start + 3 * day, start + 5 * day), now * 1000)
    await readTradedBars({ liquidity }, kept, request(start + 2 * day, now), now * 1000)
    expect(asked).toEqual([start + 2 * day - 6 * hour, start + 6 * day])
  })

  test('of the last hour are not kept, for the chain may still change', async () => {
    const { asked, liquidity } = chainOf()
    const kept = createBarMemory()
    const recent = start + 8 * day + hour - 1
    await readTradedBars({ liquidity }, kept, request(start + 6 * day, start + 8 * day), recent * 1000)
    await readTradedBars({ liquidity }, kept, request(start + 6 * day, start + 8 * day), recent * 1000)
    expect(asked.at(-1)).toBe(start + 7 * day)
  })

  test('without all logs begin with the first whole bar, whatever was kept before it', async () => {
    const kept = createBarMemory()
    await readTradedBars(chainOf(), kept, request(start + day, start + 3 * day), now * 1000)
    const short = chainOf({ logsFrom: start + 5 * day + 10 })
    const { traded, knownFrom } = await readTradedBars(short, kept, request(start + day, now), now * 1000)
    expect([knownFrom, traded.bars.startsAt[0]]).toEqual([start + 5 * day + 10, start + 5 * day + hour])
    expect(traded.bars.startsAt.length).toBe(5 * 24 - 1)
  })

  test('do without what is kept where it is away', async () => {
    const fresh = await readTradedBars(chainOf(), createBarMemory(), request(start + day, now), now * 1000)
    const away = { read: () => Promise.reject(new Error('away')), keep: () => Promise.reject(new Error('away')) }
    expect(await readTradedBars(chainOf(), away, request(start + day, now), now * 1000)).toEqual(fresh)
  })

  test.each(['a process', 'a store'])('mend what %s keeps of them where it is broken', async (keeper) => {
    const store = await openStore({ path: ':memory:', now: Date.now })
    onTestFinished(() => store.close())
    const kept = keeper === 'a store' ? store.bars : createBarMemory()
    const fresh = await readTradedBars(chainOf(), createBarMemory(), request(start + day, now), now * 1000)
    await kept.keep({ chainId: 1, pool: keptUnder(pool), barSeconds: hour }, [
      { startsAt: start + 3 * day, content: '{"columns":[]}' },
    ])
    const { asked, liquidity } = chainOf()
    for (let round = 0; round < 3; round += 1) {
      expect(await readTradedBars({ liquidity }, kept, request(start + day, now), now * 1000)).toEqual(fresh)
    }
    // Of all days once more, then of the last one alone, which is not settled yet.
    const all = start + day - 6 * hour
    expect(asked).toEqual([all, start + 9 * day, start + 9 * day])
  })

  test.each<[string, Lie]>([
    ['two of three', (reported) => reported.filter((_, index) => index % 3 === 0)],
    ['one', (reported) => reported.filter(({ blockNumber }) => blockNumber !== 150n)],
    ['the last', (reported) => reported.filter(({ blockNumber }) => blockNumber < 340n)],
  ])('of an endpoint that once left out %s are counted, and poison nothing', async (_, lie) => {
    const asked = request(start + day, now)
    const fresh = await readTradedBars(chainOf(), createBarMemory(), asked, now * 1000)
    const kept = createBarMemory()
    const misled = await readTradedBars(chainOf({ lie }), kept, asked, now * 1000)
    expect([fresh.breaks, misled.breaks > 0]).toEqual([0, true])
    expect(await readTradedBars(chainOf(), kept, asked, now * 1000)).toEqual(fresh)
  })

  test('of a pool younger than the period are kept too', async () => {
    const { asked, liquidity } = chainOf()
    const kept = createBarMemory()
    const all = request(start - 20 * day, now)
    const fresh = await readTradedBars({ liquidity }, kept, all, now * 1000)
    expect(await readTradedBars({ liquidity }, kept, all, now * 1000)).toEqual(fresh)
    // Of the days it has none of, and the last one, which is not settled yet; not of the nine between.
    expect(asked).toEqual([start - 20 * day - 6 * hour, start + 9 * day, start - 20 * day - 6 * hour])
  })
})

test('a caller who leaves is known to whoever reads the logs', async () => {
  const { signal } = new AbortController()
  const heard: unknown[] = []
  const swaps = async (...asked: unknown[]) => {
    heard.push(asked[4])
    return { swaps: [], completeFrom: 0, complete: true, created: null }
  }
  const pool = { id: '0x', version: 'v3' }
  const request = { chain: { id: 1 }, pool, from: 0, to: 7_200, barSeconds: 3_600, signal } as object as HistoryRequest
  await readSpan({ liquidity: { swaps } }, request, null, 10 ** 12)
  expect(heard).toEqual([{ signal }])
})

test('others come in while many logs are made into bars, and while each is held against the one before', async () => {
  const still = { amount0: 0n, amount1: 0n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, fee: 500 }
  // Before the span, where the bars look at each but once.
  const swaps = Array.from({ length: 4_001 }, (_, index) => Object.assign({ timestamp: index }, still))
  const reported = async () => ({ swaps, completeFrom: 0, complete: true, created: null })
  const asked = {
    chain: { id: 1 },
    pool: { version: 'v3', tickSpacing: 10 },
    from: 7_200,
    to: 10_800,
    barSeconds: 3_600,
  }
  const request = asked as object as HistoryRequest
  const liquidity = { swaps: reported } as object as Parameters<typeof readSpan>[0]['liquidity']
  const { turns } = await turnsTaken(() => readSpan({ liquidity }, request, null, 10 ** 12))
  // Bars look at 25 in a step, the other at one.
  expect(turns).toBeGreaterThanOrEqual(Math.floor(4_001 / 32) + Math.floor(4_001 / 800))
})
