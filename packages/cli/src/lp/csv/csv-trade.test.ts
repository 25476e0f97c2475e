import { barsFromRows } from '@svc/lp-math'
import { expect, test } from 'vitest'
import type { CsvPool } from './csv-pool.ts'
import { csvTrade, pastSigma } from './csv-market.ts'

/** Half days of a pool whose price is 1 (tick 0) or about 4: 300 in and 100 in on the first day, 0 and 200 on the second. */
const ticks = [0, 13_864, 13_864, 0]
const rows = ticks.map((tick, index) => ({
  startsAt: index * 43_200,
  openTick: tick,
  lowTick: tick,
  highTick: tick,
  closeTick: tick,
  liquidity: 1_000,
  amount0In: [300, 0, 0, 100][index] ?? 0,
  amount1In: [0, 100, 0, 100][index] ?? 0,
}))
const pool: CsvPool = {
  pair: 'A/B',
  feePips: 10_000,
  tickSpacing: 1,
  protocolFeeShare: 0.25,
  gasUsd: 0,
  quoteUsd: 1,
  file: 'a.csv',
  decimals0: 1,
  decimals1: 2,
  baseToken: 0,
  filledBars: 0,
  widenedBars: 0,
  bars: barsFromRows(rows, 43_200).bars,
}

const sum = (column: Float64Array) => column.reduce((total, one) => total + one, 0)

test('fees of a bar are those of both tokens in the quote, less the part of the protocol', () => {
  // Of token1 in hundredths: 300, then 100 at either price, then 100 + 100; three quarters of 1 % of it.
  const { volumes, fees } = csvTrade(pool)
  expect([...volumes]).toEqual([3, 1, 0, 2].map((worth) => expect.closeTo(worth, 12)))
  expect([...fees]).toEqual([3, 1, 0, 2].map((worth) => expect.closeTo(worth * 0.0075, 12)))
  // Of token0 in tenths: 300, then a quarter of 100, then 100 + 100.
  expect(sum(csvTrade({ ...pool, baseToken: 1 }).volumes)).toBeCloseTo(30 + 2.5 + 20, 3)
})

test('fees of a bar follow the growth of fees where the bars have it', () => {
  const growth = Float64Array.of(0.002, 0, 0, 0.001)
  const bars = { ...pool.bars, feeGrowth: { token0: growth, token1: new Float64Array(4) } }
  expect(sum(csvTrade({ ...pool, bars }).fees)).toBeCloseTo((2 + 1) / 100, 12)
})

test('the error of the volatility falls with the root of the bars, and is that of normal changes for even ones', () => {
  const alternate = (count: number) => {
    const flat = Array.from({ length: count }, (_, index) => {
      const tick = index % 2 === 0 ? 10 : -10
      return { ...rows[0]!, startsAt: index * 3600, openTick: tick, lowTick: tick, highTick: tick, closeTick: tick }
    })
    return pastSigma(barsFromRows(flat, 3600).bars, 500, 30)
  }
  const { sigma, standardError, barSeconds } = alternate(25)
  expect(barSeconds).toBe(3600)
  expect(sigma).toBeCloseTo(20 * Math.log(1.0001) * Math.sqrt(8760), 9)
  expect(standardError / sigma).toBeCloseTo(1 / Math.sqrt(2 * 24), 3)
})

test('a file in which nobody traded says no volatility, and does not say it for certain', () => {
  const still = Array.from({ length: 240 }, (_, hour) => ({ ...rows[0]!, amount0In: 0, startsAt: hour * 3600 }))
  const { sigma, standardError } = pastSigma(barsFromRows(still, 3600).bars, 500, 30)
  expect(sigma).toBe(0)
  expect(standardError).toBeCloseTo(0.0005 * Math.sqrt((2 * 8760) / 3), 12)
})
