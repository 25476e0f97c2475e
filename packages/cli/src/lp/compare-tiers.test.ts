import { barsFromRows } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { compareTiers } from './compare-tiers.ts'
import type { CsvPool } from './csv-pool.ts'

/** Eight days of hours at prices about 1, of whose trade of 2,000 tokens an hour 1 % is paid in fees. */
const rows = Array.from({ length: 8 * 24 }, (_, hour) => {
  const tick = hour % 2 === 0 ? 0 : 20
  const ticks = { openTick: 0, lowTick: 0, highTick: 20, closeTick: tick }
  return { startsAt: hour * 3_600, ...ticks, amount0In: 1e21, amount1In: 1e21, liquidity: 1e24 }
})
const pool: CsvPool = {
  pair: 'A/B',
  feePips: 10_000,
  tickSpacing: 200,
  protocolFeeShare: 0,
  gasUsd: 0,
  quoteUsd: 1,
  file: 'a.csv',
  decimals0: 18,
  decimals1: 18,
  baseToken: 0,
  filledBars: 0,
  widenedBars: 0,
  bars: barsFromRows(rows, 3_600).bars,
}

const options = { amountUsd: 100, horizonDays: 30, blockSeconds: 12, now: () => 0 }

test.each(['amount0In', 'amount1In'] as const)(
  'a pool that stands still on six of eight days is no sure choice, all its trade in %s',
  (traded) => {
    const { bars } = barsFromRows(rows, 3_600)
    const { openTick, highTick, closeTick, amount0In, amount1In } = bars
    for (const column of [openTick, highTick, closeTick, amount0In, amount1In]) column.fill(0, 48)
    bars[traded === 'amount0In' ? 'amount1In' : 'amount0In'].fill(0)
    const other = { ...pool, feePips: 100, tickSpacing: 1 }
    const { analysis, recommendation } = compareTiers([{ ...pool, feePips: 100_000, bars }, other], options)
    expect(analysis.volumeDistribution.map(({ quietDaysPct }) => quietDaysPct)).toEqual([75, 0])
    expect([recommendation.feeTier, recommendation.confidence]).toEqual([100_000, 'LOW'])
  },
)

test('days of trade in one token or the other in turn are no quiet days', () => {
  const { bars } = barsFromRows(rows, 3_600)
  for (let day = 0; day < 8; day++) {
    bars[day % 2 === 0 ? 'amount0In' : 'amount1In'].fill(0, day * 24, (day + 1) * 24)
  }
  const { analysis } = compareTiers([{ ...pool, bars }], options)
  expect(analysis.volumeDistribution[0]!.quietDaysPct).toBe(0)
})

test('the notes say by which other rules the tool of the name goes', () => {
  expect(compareTiers([pool], options).notes).toContainEqual(expect.stringContaining('Not the rules by which a pool'))
})

test('feeApy7d is a year of the fees of the last 7 days against the value, not compounded, as the tool tells it', () => {
  const { analysis } = compareTiers([pool], options)
  // 20 tokens an hour, of a full range that holds twice its liquidity of 10^6 at a price of 1.
  expect(analysis.volumeDistribution[0]!.feeApy7d! / ((100 * 365 * 24 * 20) / 2e6)).toBeCloseTo(1, 2)
})
