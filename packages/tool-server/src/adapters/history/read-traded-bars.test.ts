import { getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'
import type { HistoryRequest, Pool, SwapRecord } from '../../ports.ts'
import { createBarMemory } from './create-bar-memory.ts'
import { keptUnder, readTradedBars } from './read-traded-bars.ts'

const hour = 3_600
const day = 86_400
const start = 1_700_006_400 - (1_700_006_400 % day)
const now = start + 10 * day

/** A swap every forty minutes over ten days, and how often, and since when, they were read. */
function chainOf({ logsFrom = 0 }: { logsFrom?: number } = {}) {
  const asked: number[] = []
  const swaps = Array.from({ length: 360 }, (_, index): SwapRecord => {
    const tick = Math.round(1_000 * Math.sin(index / 20))
    const up = tick >= Math.round(1_000 * Math.sin((index - 1) / 20))
    return {
      blockNumber: BigInt(index),
      transactionHash: '0x',
      timestamp: start + index * 2_400,
      tick,
      amount0: up ? -5n : 1_000_000n + BigInt(index),
      amount1: up ? 2_000_000n : -5n,
      sqrtPriceX96: getSqrtPriceAtTick(tick),
      liquidity: 10n ** 12n + BigInt(index),
      fee: 500,
    }
  })
  return {
    asked,
    liquidity: {
      async swaps(_chain: unknown, _pool: unknown, from: number, to = Infinity) {
        asked.push(from)
        const completeFrom = Math.max(from, logsFrom)
        const found = swaps.filter(({ timestamp }) => timestamp >= completeFrom && timestamp <= to)
        return { swaps: found, completeFrom, complete: completeFrom === from }
      },
    },
  }
}

const chain = { id: 1 } as Chain
const pool = { id: '0xAB', version: 'v3', protocolFee: 0 } as Partial<Pool> as Pool
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

  test('do without what is kept where it is broken or away', async () => {
    const fresh = await readTradedBars(chainOf(), createBarMemory(), request(start + day, now), now * 1000)
    const broken = createBarMemory()
    await broken.keep({ chainId: 1, pool: keptUnder(pool), barSeconds: hour }, [
      { startsAt: start + day, content: '{"columns":[]}' },
    ])
    expect(await readTradedBars(chainOf(), broken, request(start + day, now), now * 1000)).toEqual(fresh)
    const away = { read: () => Promise.reject(new Error('away')), keep: () => Promise.reject(new Error('away')) }
    expect(await readTradedBars(chainOf(), away, request(start + day, now), now * 1000)).toEqual(fresh)
  })
})
