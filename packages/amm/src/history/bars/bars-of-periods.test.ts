import { getSqrtPriceAtTick, MAX_TICK, MIN_TICK } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import type { SwapRecord } from '../../ports.ts'
import { barsOfPeriods } from './bars-of-periods.ts'
import { periodFitsSwaps } from '../periods/believable-periods.ts'
import type { Period } from '../periods/read-periods.ts'

const token = { address: '0x', symbol: 'T', name: 'T', isNative: false, listed: true, usdPegged: false } as const
const pool = {
  version: 'v3',
  fee: 3_000,
  hooks: null,
  protocolFee: 0,
  token0: { ...token, decimals: 18 },
  token1: { ...token, decimals: 6 },
} as const
/** A dollar for one token1. */
const pegged = [{ isToken1: true, usd: 1, decimals: 6, isPegged: true }]
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
    tvlUsd: 1e6,
    trades: 3,
    ...facts,
  }
}

const prices = (ticks: Float64Array) => [...ticks].map((tick) => Math.round(1.0001 ** tick * 1e12 * 1e6) / 1e6)

describe('bars of periods', () => {
  test('turn prices and ranges over, and fill what is missing', () => {
    const first = period(0, 2_000, { low: 1 / 2_500, high: 1 / 1_800 })
    const { bars, gapsAt, figures, absurd } = barsOfPeriods(
      pool,
      period(-1, 1_900),
      [first, period(2, 2_100)],
      grid,
      pegged,
    )
    expect(prices(bars.openTick)).toEqual([1_900, 2_000, 2_000, 2_100])
    expect(prices(bars.highTick)).toEqual([2_500, 2_000, 2_100, 2_100])
    expect(prices(bars.lowTick)).toEqual([1_800, 2_000, 2_000, 2_100])
    expect(prices(bars.closeTick)).toEqual([2_000, 2_000, 2_100, 2_100])
    expect([gapsAt, absurd, [...figures.trades!], bars.feeGrowth]).toEqual([[3_600, 10_800], 0, [3, 0, 3, 0], null])
    expect([bars.amount0In[1], bars.amount1In[3]]).toEqual([0, 0])
  })

  test('begin with the first period that has a price', () => {
    const { bars } = barsOfPeriods(pool, null, [period(1, 2_000, { price: 0 }), period(2, 2_000)], grid, pegged)
    expect([...bars.startsAt]).toEqual([7_200, 10_800])
    expect(barsOfPeriods(pool, null, [], grid, pegged).bars.startsAt).toHaveLength(0)
  })

  test('put in what the price says came in, and never more than was traded', () => {
    // L = 1e12: from 2000 to 2100 the pool takes L * (sqrt(2100e-12) - sqrt(2000e-12)) of token1, 1.10 whole ones here.
    const moved = barsOfPeriods(
      pool,
      period(-1, 2_000),
      [period(0, 2_100, { volume0: 0.005, volume1: 10, liquidity: 1e12 })],
      grid,
      pegged,
    ).bars
    expect(moved.amount1In[0]! / 1e6).toBeCloseTo((10 + 1e6 * (Math.sqrt(2_100e-12) - Math.sqrt(2_000e-12))) / 2, 9)
    const steep = barsOfPeriods(pool, period(-1, 2_000), [period(0, 4_000, { liquidity: 1e20 })], grid, pegged).bars
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
    ['a trade without liquidity', { liquidity: 0 }],
    ['a trade of more than its liquidity could bear', { volume0: 1e9, volume1: 9e18 }],
    ['amounts of another price', { volume0: 1, volume1: 17.5 }],
    ['amounts the other way round', { volume0: 2_000, volume1: 1 }],
    ['one amount without the other', { volume0: 1, volume1: 0 }],
  ])('leave out a period with %s, and count it', (_label, absurd) => {
    const { bars, gapsAt, ...read } = barsOfPeriods(pool, period(-1, 2_000), [period(0, 2_100, absurd)], grid, pegged)
    expect(prices(bars.closeTick)).toEqual([2_000, 2_000, 2_000, 2_000])
    expect([gapsAt.length, read.absurd, read.newest?.startsAt]).toEqual([4, 1, -3_600])
  })

  test('span no price that a pool cannot have', () => {
    const { bars } = barsOfPeriods(
      pool,
      period(-1, 2_000),
      [period(0, 2_100, { low: 1e-60, high: 1e60 })],
      grid,
      pegged,
    )
    expect([prices(bars.lowTick)[0], prices(bars.highTick)[0]]).toEqual([2_000, 2_100])
  })

  test('keep amounts of dust, and a flash swap of a pair', () => {
    const dust = period(0, 2_000, { volume0: 1e-9, volume1: 0.000001, trades: 1 })
    expect(barsOfPeriods(pool, null, [dust], grid, pegged).absurd).toBe(0)
    const flash = period(0, 2_000, { volume0: 500 })
    const absurd = (version: 'v2' | 'v3') => barsOfPeriods({ ...pool, version }, null, [flash], grid, pegged).absurd
    expect([absurd('v2'), absurd('v3')]).toEqual([0, 1])
  })

  test('hold the dollars of pools without a price against each other, and count none where most are missing', () => {
    const dollarsOf = (...dollars: readonly number[]) => {
      const reported = dollars.map((volumeUsd, hour) => period(hour, 2_000, { volumeUsd }))
      return [...barsOfPeriods(pool, null, reported, grid, []).figures.volumeUsd!]
    }
    expect(dollarsOf(0, 7_000, 2_000, 1_000)).toEqual([1_000, 1_000, 2_000, 1_000])
    expect(dollarsOf(1e190, 2_100, 2_000, -1)).toEqual([2_000, 2_100, 2_000, 2_000])
    expect(dollarsOf(0, 7_000, -3, 0)).toEqual([NaN, 7_000, NaN, NaN])
  })

  test('count dollars by the trade in a pegged token, whatever the subgraph says', () => {
    const reported = [0, 1e190, -1, 2_000].map((volumeUsd, hour) => period(hour, 2_000, { volumeUsd }))
    const { figures } = barsOfPeriods(pool, null, reported, grid, pegged)
    expect([...figures.volumeUsd!]).toEqual([2_000, 2_000, 2_000, 2_000])
    expect([...figures.feesUsd!]).toEqual([6, 6, 6, 6])
    const tvl = [5, -5, 0, 7].map((tvlUsd, hour) => period(hour, 2_000, { tvlUsd }))
    expect([...barsOfPeriods(pool, null, tvl, grid, pegged).figures.tvlUsd!]).toEqual([5, NaN, NaN, 7])
  })

  test('without one count what the subgraph says, near to a price of today, else that price', () => {
    const reported = [0, 7_000, 2_000, 1_000].map((volumeUsd, hour) => period(hour, 2_000, { volumeUsd }))
    const side = { isToken1: true, usd: 1, decimals: 6, isPegged: false }
    expect([...barsOfPeriods(pool, null, reported, grid, [side]).figures.volumeUsd!]).toEqual([
      2_000, 2_000, 2_000, 1_000,
    ])
    const other = { isToken1: false, usd: 5_000, decimals: 18, isPegged: false }
    const { figures } = barsOfPeriods(pool, null, reported, grid, [side, other])
    expect([...figures.volumeUsd!]).toEqual([2_000, 7_000, 2_000, 1_000])
  })

  test('share fees with the protocol', () => {
    const { figures } = barsOfPeriods({ ...pool, protocolFee: 0x44 }, null, [period(0, 2_000)], grid, pegged)
    expect(figures.feesUsd![0]).toBeCloseTo(4.5, 12)
  })
})

describe.each([MIN_TICK, MIN_TICK + 1, 0, MAX_TICK - 1])('a period at tick %i', (tick) => {
  test.each([
    [0, 0],
    [0, 24],
    [24, 0],
    [24, 24],
    [6, 18],
  ])('of tokens of %i and %i decimals is told by its bar, and fits its swaps', (decimals0, decimals1) => {
    const odd = { ...pool, token0: { ...token, decimals: decimals0 }, token1: { ...token, decimals: decimals1 } }
    const [root, liquidity] = [1.0001 ** (tick / 2), 1e30]
    const [in0, out1] = [(liquidity / root) * 0.01, liquidity * root * 0.01]
    const price = 10 ** (decimals1 - decimals0) / root ** 2
    const amounts = { volume0: in0 / 10 ** decimals0, volume1: out1 / 10 ** decimals1 }
    const at = { price, open: price, high: price, low: price, ...amounts }
    const reported = { ...period(0, 1), ...at, liquidity, volumeUsd: 1, trades: 1 }
    const { bars, absurd } = barsOfPeriods(odd, null, [reported], { ...grid, count: 1 }, [])
    expect([absurd, bars.startsAt.length]).toEqual([0, 1])
    for (const column of [bars.openTick, bars.lowTick, bars.highTick, bars.closeTick]) {
      expect(column[0]).toBeCloseTo(tick, 5)
    }
    expect(bars.amount0In[0]! / in0 + bars.amount1In[0]! / out1).toBeCloseTo(1, 6)
    const place = { blockNumber: 1n, logIndex: 0, timestamp: 60, transactionHash: '0x' } as const
    const moved = { amount0: BigInt(Math.round(in0)), amount1: -BigInt(Math.round(out1)) }
    const state = { sqrtPriceX96: getSqrtPriceAtTick(tick), tick, liquidity: BigInt(liquidity), fee: 3_000 }
    const swap: SwapRecord = { ...place, ...moved, ...state }
    expect(periodFitsSwaps(odd, reported, reported, [swap])).toBe(true)
    expect(periodFitsSwaps(odd, { ...reported, price: price * 1.01 }, reported, [swap])).toBe(false)
    expect(periodFitsSwaps(odd, { ...reported, volume1: reported.volume1 * 1.02 }, reported, [swap])).toBe(false)
  })
})
