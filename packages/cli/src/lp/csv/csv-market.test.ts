import { barsFromRows } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { csvMarket, type CsvMarketOptions } from './csv-market.ts'
import type { CsvPool } from './csv-pool.ts'

const options: CsvMarketOptions = { amountUsd: 1_000, horizonDays: 30, blockSeconds: 2, volatilitySource: 'implied' }

/** Three days of hours of a price that swings by half a percent, with so much in of token0 an hour. */
function pool(amount0In: number): CsvPool {
  const rows = Array.from({ length: 72 }, (_, hour) => {
    const tick = hour % 2 === 0 ? 0 : 50
    const ticks = { openTick: tick, lowTick: tick, highTick: tick, closeTick: tick }
    return { startsAt: hour * 3_600, ...ticks, liquidity: 1e12, amount0In, amount1In: 0 }
  })
  const facts = {
    pair: 'A/B',
    file: 'a.csv',
    feePips: 3_000,
    tickSpacing: 60,
    protocolFeeShare: 0,
    baseToken: 0,
  } as const
  const money = { gasUsd: 0, quoteUsd: 1, decimals0: 6, decimals1: 6, filledBars: 0, widenedBars: 0 }
  return { ...facts, ...money, bars: barsFromRows(rows, 3_600).bars }
}

test('a file without a trade implies no volatility, which names the flag and what is accepted', () => {
  expect(() => csvMarket(pool(0), options)).toThrow(/^--volatility: nobody traded .* Accepted: historical/)
  const { volatility } = csvMarket(pool(0), { ...options, volatilitySource: 'historical' })
  expect(volatility.sigma).toBeGreaterThan(0)
})

test('implied volatility is off by half of what the fees are', () => {
  const { volatility, doubts } = csvMarket(pool(1e9), options)
  const { perDay, standardError } = doubts.pace
  expect(volatility.standardError / volatility.sigma).toBeCloseTo(standardError! / perDay / 2, 12)
})
