import { describe, expect, test } from 'vitest'
import { barsOfPeriods } from './bars-of-periods.ts'
import type { Period } from './read-periods.ts'

const token = { address: '0x', symbol: 'T', name: 'T', isNative: false, listed: true, usdPegged: false } as const
const pool = {
  version: 'v3',
  fee: 3_000,
  hooks: null,
  protocolFee: 0,
  token0: { ...token, decimals: 18 },
  token1: { ...token, decimals: 6 },
} as const
const grid = { start: 0, count: 4, barSeconds: 3_600 }

/** A price of so many token1 for one token0. */
function period(hour: number, price: number, facts: Partial<Period> = {}): Period {
  const inverse = 1 / price
  return {
    startsAt: hour * 3_600,
    liquidity: 1e15,
    price: inverse,
    open: inverse,
    high: inverse,
    low: inverse,
    volume0: 1,
    volume1: 2_000,
    volumeUsd: 2_000,
    feesUsd: 6,
    tvlUsd: 1e6,
    trades: 3,
    ...facts,
  }
}

const prices = (ticks: Float64Array) => [...ticks].map((tick) => Math.round(1.0001 ** tick * 1e12 * 1e6) / 1e6)

describe('bars of periods', () => {
  test('turn prices and ranges over, and fill what is missing', () => {
    const first = period(0, 2_000, { low: 1 / 2_500, high: 1 / 1_800 })
    const { bars, gapsAt, figures, notes } = barsOfPeriods(pool, period(-1, 1_900), [first, period(2, 2_100)], grid)
    expect(prices(bars.openTick)).toEqual([1_900, 2_000, 2_000, 2_100])
    expect(prices(bars.highTick)).toEqual([2_500, 2_000, 2_100, 2_100])
    expect(prices(bars.lowTick)).toEqual([1_800, 2_000, 2_000, 2_100])
    expect(prices(bars.closeTick)).toEqual([2_000, 2_000, 2_100, 2_100])
    expect([gapsAt, notes, [...figures.trades!], bars.feeGrowth]).toEqual([[3_600, 10_800], [], [3, 0, 3, 0], null])
    expect([bars.amount0In[1], bars.amount1In[3]]).toEqual([0, 0])
  })

  test('begin with the first period that has a price', () => {
    const { bars } = barsOfPeriods(pool, null, [period(1, 2_000, { price: 0 }), period(2, 2_000)], grid)
    expect([...bars.startsAt]).toEqual([7_200, 10_800])
    expect(barsOfPeriods(pool, null, [], grid).bars.startsAt).toHaveLength(0)
  })

  test('put in what the price says came in, and never more than was traded', () => {
    // L = 1e12: from 2000 to 2100 the pool takes L * (sqrt(2100e-12) - sqrt(2000e-12)) of token1, 1.10 whole ones here.
    const moved = barsOfPeriods(
      pool,
      period(-1, 2_000),
      [period(0, 2_100, { volume1: 10, liquidity: 1e12 })],
      grid,
    ).bars
    expect(moved.amount1In[0]! / 1e6).toBeCloseTo((10 + 1e6 * (Math.sqrt(2_100e-12) - Math.sqrt(2_000e-12))) / 2, 9)
    const steep = barsOfPeriods(pool, period(-1, 2_000), [period(0, 4_000, { liquidity: 1e20 })], grid).bars
    expect([steep.amount1In[0], steep.amount0In[0]]).toEqual([2_000e6, 0])
  })

  test.each([
    ['no price', { price: 0 }],
    ['a negative volume', { volume0: -1 }],
    ['a negative volume of the other token', { volume1: -1 }],
    ['a negative liquidity', { liquidity: -1 }],
    ['a price beyond every tick', { price: 1e-60 }],
    ['more liquidity than a pool counts', { liquidity: 1e39 }],
    ['more volume than there can be tokens', { volume1: 1e80 }],
  ])('leave out a period with %s, and say so', (_label, absurd) => {
    const { bars, gapsAt, notes } = barsOfPeriods(pool, period(-1, 2_000), [period(0, 9e9, absurd)], grid)
    expect(prices(bars.closeTick)).toEqual([2_000, 2_000, 2_000, 2_000])
    expect([gapsAt.length, notes]).toEqual([4, ['1 periods with absurd figures were left out.']])
  })

  test('span no price that a pool cannot have', () => {
    const { bars } = barsOfPeriods(pool, period(-1, 2_000), [period(0, 2_100, { low: 1e-60, high: 1e60 })], grid)
    expect([prices(bars.lowTick)[0], prices(bars.highTick)[0]]).toEqual([2_000, 2_100])
  })

  test('tell no dollars that cannot be meant', () => {
    const untracked = period(0, 2_000, { volumeUsd: 0, feesUsd: 0 })
    const negative = period(1, 2_000, { tvlUsd: -5, volumeUsd: -1 })
    const quiet = period(2, 2_000, { volume0: 0, volume1: 0, volumeUsd: 0, feesUsd: 0, trades: 1 })
    const { figures } = barsOfPeriods(pool, null, [untracked, negative, quiet, period(3, 2_000)], grid)
    expect([...figures.volumeUsd!]).toEqual([NaN, NaN, 0, 2_000])
    expect([...figures.feesUsd!]).toEqual([NaN, NaN, 0, 6])
    expect([...figures.tvlUsd!]).toEqual([1e6, NaN, 1e6, 1e6])
    const absurd = period(0, 2_000, { feesUsd: 2_001 })
    expect(barsOfPeriods(pool, null, [absurd], grid).figures.feesUsd![0]).toBeNaN()
  })

  test('of a pool with a hook count the fee in force, for what the subgraph takes for its fee may be a flag', () => {
    const dynamic = period(0, 2_000, { feesUsd: (2_000 * 0x800000) / 1e6 })
    expect(barsOfPeriods({ ...pool, hooks: '0x01' }, null, [dynamic], grid).figures.feesUsd![0]).toBeCloseTo(6, 12)
  })

  test('share fees with the protocol', () => {
    const { figures } = barsOfPeriods({ ...pool, protocolFee: 0x44 }, null, [period(0, 2_000)], grid)
    expect(figures.feesUsd![0]).toBeCloseTo(4.5, 12)
  })
})
