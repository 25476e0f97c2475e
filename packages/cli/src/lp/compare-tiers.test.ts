import { barsFromRows, resampleBars } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { compareTiers } from './fee-tier.ts'
import type { CsvPool } from './csv/csv-pool.ts'

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

const options = { amountUsd: 100, blockSeconds: 12, now: () => 0 }

test.each(['amount0In', 'amount1In'] as const)(
  'a pool that stands still on six of eight days is held to earn a quarter of its fees, all its trade in %s',
  (traded) => {
    const { bars } = barsFromRows(rows, 3_600)
    const { openTick, highTick, closeTick, amount0In, amount1In } = bars
    for (const column of [openTick, highTick, closeTick, amount0In, amount1In]) column.fill(0, 48)
    bars[traded === 'amount0In' ? 'amount1In' : 'amount0In'].fill(0)
    const other = { ...pool, feePips: 100, tickSpacing: 1 }
    const { analysis } = compareTiers([{ ...pool, feePips: 100_000, bars }, other], options)
    expect(analysis.volumeDistribution.map(({ quietDaysPct }) => quietDaysPct)).toEqual([75, 0])
    const [still] = analysis.volumeDistribution
    expect(still!.netApr).toBeCloseTo(still!.marginalFeeApr / 4 - still!.lvrApr, 6)
  },
)

test('the days that a file holds are told, in tenths, and not thirty', () => {
  const { bars } = barsFromRows(rows.slice(0, 50), 3_600)
  const { analysis, notes } = compareTiers([{ ...pool, bars }], options)
  expect(analysis.pairVolatility.note).toBe('EWMA, 0.94 a day, of 2.1 days of a.csv.')
  expect(notes).toContainEqual(expect.stringContaining('at the fees of the 2 days known of the last 30'))
})

test('what a quote token is taken to be worth is said as of the other answers, by its name', () => {
  const { notes } = compareTiers([{ ...pool, quoteUsd: 2 }], options)
  expect(notes).toContain('One B is taken to be 2 USD (--quote-usd); blocks come every 12 s.')
})

test('days of trade in one token or the other in turn are no quiet days', () => {
  const { bars } = barsFromRows(rows, 3_600)
  for (let day = 0; day < 8; day++) {
    bars[day % 2 === 0 ? 'amount0In' : 'amount1In'].fill(0, day * 24, (day + 1) * 24)
  }
  const { analysis } = compareTiers([{ ...pool, bars }], options)
  expect(analysis.volumeDistribution[0]!.quietDaysPct).toBe(0)
})

test('a file is told by the rules of the tool, and what it lacks is said', () => {
  const { analysis, recommendation, notes } = compareTiers([pool], options)
  const [only] = analysis.volumeDistribution
  expect(only).toMatchObject({ tvlUsd: null, feeApy7d: null, daysKnown: 8, file: 'a.csv' })
  // Fees that never change, shared by one liquidity at every price, are sure; what is not is the volatility.
  expect(only!.feeUncertaintyPct).toBeCloseTo(0, 9)
  expect(only!.netAprError).toBeGreaterThan(0)
  expect(analysis.pairVolatility.standardError).toBeGreaterThan(0)
  expect(recommendation).toMatchObject({ leadApr: null, leadErrorsApr: null, isLeadClear: null })
  for (const said of ['100 USD in a range of two deviations', 'the same at every price', 'no value locked']) {
    expect(notes).toContainEqual(expect.stringContaining(said))
  }
})

test('the last 30 days of a file count, and no confidence is HIGH of pools of unknown depth', () => {
  const long = Array.from({ length: 60 * 24 }, (_, hour) => ({ ...rows[hour % rows.length]!, startsAt: hour * 3_600 }))
  const { bars } = barsFromRows(long, 3_600)
  const busyBefore = {
    ...bars,
    amount0In: bars.amount0In.map((amount, hour) => (hour < 30 * 24 ? 9 * amount : amount)),
  }
  const other = { ...pool, bars, feePips: 100, tickSpacing: 1 }
  const [first, again] = [bars, busyBefore].map((one) => compareTiers([{ ...pool, bars: one }, other], options))
  expect(again!.analysis).toEqual(first!.analysis)
  expect(first!.recommendation).toMatchObject({ feeTier: 10_000, confidence: 'MODERATE', isLeadClear: true })
})

describe('files of different times', () => {
  const from = (hour: number, hours = 10 * 24) => {
    const moved = Array.from({ length: hours }, (_, index) => ({
      ...rows[index % rows.length]!,
      startsAt: (hour + index) * 3_600,
    }))
    return barsFromRows(moved, 3_600).bars
  }
  const other = { ...pool, file: 'b.csv', feePips: 100, tickSpacing: 1 }

  test('are compared over the days that all of them hold, which are told', () => {
    const early = from(0)
    // What the one trades before the other begins counts for nothing.
    early.amount0In.fill(1e24, 0, 48)
    const { analysis, notes } = compareTiers(
      [
        { ...pool, bars: early },
        { ...other, bars: from(48) },
      ],
      options,
    )
    expect(analysis.volumeDistribution).toMatchObject([
      { daysKnown: 8, volumePct: 50, feeUncertaintyPct: expect.closeTo(0, 6) },
      { daysKnown: 8, volumePct: 50 },
    ])
    expect(notes).toContain('Compared over 1970-01-03T00:00Z to 1970-01-11T00:00Z (8 days).')
  })

  test('are the same days in bars of another length', () => {
    const daily = from(24, 21 * 24)
    const { analysis } = compareTiers(
      [
        { ...pool, bars: from(0, 20 * 24) },
        { ...other, bars: resampleBars(daily, 86_400) },
      ],
      options,
    )
    expect(analysis.volumeDistribution.map(({ daysKnown }) => daysKnown)).toEqual([19, 19])
  })

  test.each([
    [96, '6 days'],
    [10 * 24, 'no day'],
    [5 * 365 * 24, 'no day'],
  ])('are refused where they share too little: one begins %i hours later', (hour, shared) => {
    const compare = () =>
      compareTiers(
        [
          { ...pool, bars: from(0) },
          { ...other, bars: from(hour) },
        ],
        options,
      )
    expect(compare).toThrow(UsageError)
    expect(compare).toThrow(
      `hold ${shared} in common, and a comparison needs 7: a.csv 1970-01-01T00:00Z to 1970-01-11T00:00Z (10 days), b.csv `,
    )
  })
})
