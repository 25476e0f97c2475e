import { describe, expect, test } from 'vitest'
import { createOccupationTable, timeInRange } from '../closed-form/occupation.ts'
import { positionValue } from '../closed-form/position-value.ts'
import { busyMarket } from '../range-choice/range-market.fixture.ts'
import { createFeeModel, liquidityProfile, ownLiquidity } from './fee-model.ts'

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }
const MODEL = { price: 1, sigma: 0.8, drift: 0.2, years: 30 / 365 }
const OCCUPATION = createOccupationTable(MODEL)
const [A, B, C] = [
  [-4000, 1000, 5n],
  [-500, 700, 90n],
  [600, 3000, 20n],
] as const
const POSITIONS = [A, B, C].map(([lower, upper, liquidity]) => ({
  bounds: { lower: 1.0001 ** lower, upper: 1.0001 ** upper },
  liquidity: Number(liquidity),
}))
const POOL = {
  ticks: [
    { tick: -4000, liquidityNet: 5n },
    { tick: -500, liquidityNet: 90n },
    { tick: 600, liquidityNet: 20n },
    { tick: 700, liquidityNet: -90n },
    { tick: 1000, liquidityNet: -5n },
    { tick: 3000, liquidityNet: -20n },
  ],
  tick: 0,
  liquidity: 95n,
  decimals0: 0,
  decimals1: 0,
  inverted: false,
}
const PROFILE = liquidityProfile(POOL)

describe('liquidity profile', () => {
  test('adds up the ticks both ways from the active liquidity', () => {
    expect([...PROFILE.liquidity]).toEqual([0, 5, 95, 115, 25, 20, 0])
    expect([PROFILE.edges[0], PROFILE.edges[7]]).toEqual([0, Number.POSITIVE_INFINITY])
    expect(PROFILE.edges[2]).toBeCloseTo(1.0001 ** -500, 14)
  })

  test('is the same from wherever the pool stands', () => {
    for (const [tick, liquidity] of [
      [-9000, 0n],
      [-4000, 5n],
      [-501, 5n],
      [600, 115n],
      [699, 115n],
      [2999, 20n],
      [3000, 0n],
    ] as const) {
      expect([...liquidityProfile({ ...POOL, tick, liquidity }).liquidity]).toEqual([...PROFILE.liquidity])
      expect([...liquidityProfile({ ...POOL, tick, liquidity, inverted: true }).liquidity]).toEqual(
        [...PROFILE.liquidity].reverse(),
      )
    }
  })

  test('counts in whole tokens: liquidity times the value of a unit is what the pool holds', () => {
    // 1,000 of token0 (18 decimals) at 3,000 of token1 (6 decimals) over the full range.
    const price = 1.0001 ** -196_256
    const raw = BigInt(Math.round(1000e18 * Math.sqrt(price)))
    const pool = { ticks: [], tick: -196_256, liquidity: raw, decimals0: 18, decimals1: 6 }
    const [whole] = liquidityProfile({ ...pool, inverted: false }).liquidity
    expect((whole ?? 0) * positionValue(FULL, price * 1e12)).toBeCloseTo(2 * 1000 * price * 1e12, 3)
    const [mirrored] = liquidityProfile({ ...pool, inverted: true }).liquidity
    expect((mirrored ?? 0) * positionValue(FULL, 1e-12 / price)).toBeCloseTo(2 * 1000, 6)
  })

  test.each([
    [{ liquidity: 3n }, 'LIQUIDITY_OUT_OF_RANGE'],
    [{ tick: 0.5 }, 'TICK_OUT_OF_RANGE'],
    [{ ticks: [{ tick: Number.NaN, liquidityNet: 1n }] }, 'TICK_OUT_OF_RANGE'],
    [{ ticks: [...POOL.ticks].reverse() }, 'TICKS_UNSORTED'],
    [{ decimals0: -1 }, 'DECIMALS_OUT_OF_RANGE'],
    [{ decimals1: 256 }, 'DECIMALS_OUT_OF_RANGE'],
  ])('refuses %o', (change, code) => {
    expect(() => liquidityProfile({ ...POOL, ...change })).toThrow(expect.objectContaining({ code }))
  })
})

describe('fee model', () => {
  const fees = createFeeModel({ profile: PROFILE, feesPerDay: 100, occupation: OCCUPATION })

  test('gives the positions of the pool all that the pool earns, each its part', () => {
    const earned = POSITIONS.map(({ bounds, liquidity }) => fees.feesPerYear(bounds, liquidity).undiluted)
    expect(earned.reduce((sum, one) => sum + one, 0)).toBeCloseTo(36_500, 8)
    expect(Math.min(...earned)).toBeGreaterThan(0)
  })

  test('over one liquidity everywhere is fees times part times time, whatever the assumption', () => {
    const [profile, bounds] = [
      { edges: Float64Array.of(0, Number.POSITIVE_INFINITY), liquidity: Float64Array.of(400) },
      { lower: 0.9, upper: 1.05 },
    ]
    const flat = createFeeModel({ profile, feesPerDay: 100, occupation: OCCUPATION }).feesPerYear(bounds, 100)
    const time = timeInRange(bounds, MODEL)
    expect(flat.undiluted).toBeCloseTo(36_500 * 0.25 * time, 3)
    expect(flat.diluted).toBeCloseTo(36_500 * 0.2 * time, 3)
    expect(flat.steady).toBeCloseTo(36_500 * 0.2 * time, 3)
  })

  test('dilutes more the more there is, up to all that the pool earns', () => {
    const bounds = { lower: 0.9, upper: 1.1 }
    const apiece = [1e-6, 1, 100, 1e4].map((own) => fees.feesPerYear(bounds, own).diluted / own)
    expect(apiece).toEqual(apiece.toSorted((a, b) => b - a))
    const small = fees.feesPerYear(bounds, 1e-6)
    expect(small.diluted / small.undiluted).toBeCloseTo(1, 6)
    expect(fees.feesPerYear(FULL, 1e12).diluted).toBeCloseTo(36_500, 3)
  })

  test('is the same from the other order of the tokens', () => {
    const model = { ...MODEL, price: 1 / MODEL.price, drift: MODEL.sigma ** 2 - MODEL.drift }
    const profile = liquidityProfile({ ...POOL, inverted: true })
    const mirrored = createFeeModel({ profile, feesPerDay: 100, occupation: createOccupationTable(model) })
    const [there, here] = [
      mirrored.feesPerYear({ lower: 1 / 1.1, upper: 1 / 0.93 }, 30),
      fees.feesPerYear({ lower: 0.93, upper: 1.1 }, 30),
    ]
    expect(there.diluted / here.diluted).toBeCloseTo(1, 7)
  })

  test('earns nothing without fees, without liquidity of its own, and in a pool that is empty where the price goes', () => {
    const nothing = { diluted: 0, undiluted: 0, steady: 0 }
    expect(createFeeModel({ profile: PROFILE, feesPerDay: 0, occupation: OCCUPATION }).feesPerYear(FULL, 1)).toEqual(
      nothing,
    )
    expect(fees.feesPerYear(FULL, 0)).toEqual(nothing)
    const far = createOccupationTable({ ...MODEL, price: 1e6 })
    expect(createFeeModel({ profile: PROFILE, feesPerDay: 1, occupation: far }).feesPerYear(FULL, 1)).toEqual(nothing)
  })

  test('holds 2,000 ticks', () => {
    const { profile, model } = busyMarket(3000)
    const busy = createFeeModel({ profile, feesPerDay: 1, occupation: createOccupationTable(model) })
    expect(profile.liquidity.length).toBeGreaterThan(2000)
    expect(busy.feesPerYear(FULL, busy.meanLiquidity * 1e-9).undiluted).toBeCloseTo(365e-9, 15)
  })

  test('refuses what means nothing', () => {
    const refusal = (code: string) => expect.objectContaining({ code })
    for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createFeeModel({ profile: PROFILE, feesPerDay: value, occupation: OCCUPATION })).toThrow(
        refusal('VALUE_OUT_OF_RANGE'),
      )
      expect(() => fees.feesPerYear(FULL, value)).toThrow(refusal('VALUE_OUT_OF_RANGE'))
      expect(() => ownLiquidity(FULL, 1, value)).toThrow(refusal('VALUE_OUT_OF_RANGE'))
    }
    expect(() => fees.feesPerYear({ lower: 2, upper: 1 }, 1)).toThrow(refusal('RANGE_EMPTY'))
    expect(() => ownLiquidity(FULL, 0, 1)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
  })
})

describe('own liquidity', () => {
  test.each([0.5, 1, 3])('is worth at %d what was put in', (price) => {
    const bounds = { lower: 0.8, upper: 1.3 }
    expect(ownLiquidity(bounds, price, 1234) * positionValue(bounds, price)).toBeCloseTo(1234, 9)
  })
})
