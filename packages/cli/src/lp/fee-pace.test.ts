import { barsFromRows } from '@svc/lp-math'
import { expect, test } from 'vitest'
import type { CsvPool } from './csv-pool.ts'
import { feePace } from './fee-pace.ts'
import { lastDays } from './last-days.ts'
import { pastSigma } from './past-sigma.ts'

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

test('fees a day are those of both tokens in the quote, less the part of the protocol, and their error that of the days', () => {
  // Of token1 in hundredths: 300 + 100 on the first day, 200 on the second; three quarters of 1 % of it.
  const pace = feePace(pool)
  expect(pace.volumePerDay).toBeCloseTo(3, 12)
  expect(pace.feesPerDay).toBeCloseTo(3 * 0.0075, 12)
  expect(pace.standardError).toBeCloseTo(0.0075, 12)
  // Of token0 in tenths: 300 and a quarter of 100 on the first day, 100 + 100 on the second.
  expect(feePace({ ...pool, baseToken: 1 }).volumePerDay).toBeCloseTo((32.5 + 20) / 2, 3)
})

test('fees a day follow the growth of fees where the bars have it', () => {
  const growth = Float64Array.of(0.002, 0, 0, 0.001)
  const bars = { ...pool.bars, feeGrowth: { token0: growth, token1: new Float64Array(4) } }
  expect(feePace({ ...pool, bars }).feesPerDay).toBeCloseTo((2 + 1) / 2 / 100, 12)
})

test('the last days are the last bars, and none where there are fewer', () => {
  expect([...(lastDays(pool, 1)?.bars.startsAt ?? [])]).toEqual([86_400, 129_600])
  expect(lastDays(pool, 3)).toBeNull()
})

test('the error of the volatility falls with the root of the bars, and is that of normal changes for even ones', () => {
  const alternate = (count: number) => {
    const flat = Array.from({ length: count }, (_, index) => {
      const tick = index % 2 === 0 ? 10 : -10
      return { ...rows[0]!, startsAt: index * 3600, openTick: tick, lowTick: tick, highTick: tick, closeTick: tick }
    })
    return pastSigma(barsFromRows(flat, 3600).bars)
  }
  const { sigma, standardError, barSeconds } = alternate(25)
  expect(barSeconds).toBe(3600)
  expect(sigma).toBeCloseTo(20 * Math.log(1.0001) * Math.sqrt(8760), 9)
  expect(standardError / sigma).toBeCloseTo(1 / Math.sqrt(2 * 24), 3)
})
