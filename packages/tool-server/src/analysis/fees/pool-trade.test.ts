import { expect, test } from 'vitest'
import { dailyTrade, wholeFee } from './pool-trade.ts'

const hours = 50
const column = (value: number, at: Readonly<Record<number, number>> = {}) =>
  Float64Array.from({ length: hours }, (_, hour) => at[hour] ?? value)
const terms = (countedToken: 0 | 1, decimals: number, gaps = 0) => ({
  feePips: 3_000,
  protocolFeeShare: 0.25,
  countedToken,
  decimals,
  gaps,
})
const ticks = { openTick: column(0), lowTick: column(0), highTick: column(0), closeTick: column(0) }
const bars = (amount0In: Float64Array, amount1In: Float64Array, change = {}) => ({
  barSeconds: 3600,
  startsAt: column(0),
  ...ticks,
  amount0In,
  amount1In,
  liquidity: column(1),
  feeGrowth: null,
  ...change,
})
test.each([
  [0, 0],
  [24, 24],
  [0, 24],
] as const)('adds up the last whole days in whole tokens of %d and %d decimals', (decimals0, decimals1) => {
  const price = Math.log(10 ** (decimals1 - decimals0)) / Math.log(1.0001)
  const flat = { lowTick: column(price), highTick: column(price) }
  // 2 and 3 tokens an hour, one to one; the first two hours belong to no whole day, the last brings 10 more.
  const traded = bars(column(2 * 10 ** decimals0, { 49: 12 * 10 ** decimals0 }), column(3 * 10 ** decimals1), flat)
  for (const side of [0, 1] as const) {
    const { volumes, fees, daysKnown } = dailyTrade(traded, terms(side, side === 0 ? decimals0 : decimals1))
    expect([daysKnown, ...volumes]).toEqual([2, expect.closeTo(120, 6), expect.closeTo(130, 6)])
    // A quarter of 0.3 % is the protocol's.
    expect(fees[0]).toBeCloseTo(120 * 0.003 * 0.75, 9)
  }
})

test('takes what no pool can have traded for nothing, and gaps for unknown', () => {
  const absurd = bars(column(1, { 30: -1e30, 31: Number.NaN, 32: Number.POSITIVE_INFINITY, 33: 1 }), column(0), {
    highTick: column(0, { 33: 1e9 }),
    lowTick: column(0, { 33: 1e9 }),
  })
  const found = dailyTrade(absurd, terms(0, 0, 24))
  expect(found.volumes).toEqual([24, 20])
  expect(found.daysKnown).toBe(1)
  expect(dailyTrade(absurd, terms(0, 0, 99)).daysKnown).toBe(0)
})

test('knows no day of a pool in which nobody traded, and each of one that was quiet but once', () => {
  expect(dailyTrade(bars(column(0), column(0)), terms(0, 0))).toMatchObject({ volumes: [0, 0], daysKnown: 0 })
  expect(dailyTrade(bars(column(0, { 40: 1 }), column(0)), terms(0, 0))).toMatchObject({
    volumes: [0, 1],
    daysKnown: 2,
  })
})

test('counts days in bars of other lengths', () => {
  const minutes = Float64Array.from({ length: 2 * 1_440 + 1 }, () => 1)
  const flat = minutes.map(() => 0)
  const long = { ...bars(minutes, flat), barSeconds: 60, lowTick: flat, highTick: flat }
  expect(dailyTrade(long, terms(0, 0, 1_440))).toMatchObject({ volumes: [1_440, 1_440], daysKnown: 1 })
})

test.each([
  // v3: a quarter of the fee of token0 and a fifth of that of token1.
  ['v3', 3_000, 4 + (5 << 4), { feePips: 3_000, protocolFeeShare: (1 / 4 + 1 / 5) / 2 }],
  // v4: 1000 pips first, 3000 on the rest, less three.
  ['v4', 3_000, 1_000 + (1_000 << 12), { feePips: 3_997, protocolFeeShare: 1_000 / 3_997 }],
  ['v4', 500, 0, { feePips: 500, protocolFeeShare: 0 }],
  ['v4', 0, 0, { feePips: 0, protocolFeeShare: 0 }],
] as const)('of a %s pool of %d with protocol fee %d', (version, fee, protocolFee, { feePips, protocolFeeShare }) => {
  const found = wholeFee({ version, fee, protocolFee })
  expect([found.feePips, found.protocolFeeShare]).toEqual([feePips, expect.closeTo(protocolFeeShare, 12)])
})
