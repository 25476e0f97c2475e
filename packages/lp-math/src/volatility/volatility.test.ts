import { describe, expect, test } from 'vitest'
import { randomPaths } from '../closed-form/closed-form.fixture.ts'
import { classifyVolatility, ewmaSigma, ewmaStandardError, impliedSigma, realisedSigma } from './sigma.ts'

const DAY = { barSeconds: 86_400 }
const HOUR = { barSeconds: 3600 }
const tooShort = { code: 'SERIES_TOO_SHORT' }

const relativeError = (closes: ArrayLike<number>, traded: ArrayLike<number>) =>
  ewmaStandardError(closes, { ...DAY, traded: Array.from(traded, Boolean), leastMove: 0 }) / ewmaSigma(closes, DAY)
const yes = () => 1

describe('volatility of closes', () => {
  test('weights the squares of the last returns 1, 0.94, 0.94² over their sum', () => {
    const closes = [100, 110, 99, 120]
    const [first, second, third] = [Math.log(1.1), Math.log(0.9), Math.log(120 / 99)] as const
    const variance = (0.94 ** 2 * first ** 2 + 0.94 * second ** 2 + third ** 2) / (0.94 ** 2 + 0.94 + 1)
    expect(ewmaSigma(closes, DAY)).toBeCloseTo(Math.sqrt(365 * variance), 14)
    const mean = (first + second + third) / 3
    const sample = ((first - mean) ** 2 + (second - mean) ** 2 + (third - mean) ** 2) / 2
    expect(realisedSigma(closes, DAY)).toBeCloseTo(Math.sqrt(365 * sample), 14)
  })

  test('keeps the half-life of 11.2 days whatever the length of a bar', () => {
    // One jump, then calm for a half-life: half of its weight is left, against a whole history of long ago.
    const calm = (bars: number): Float64Array =>
      Float64Array.from({ length: 2e4 }, (_, index) => (index < 2e4 - bars ? 1 : 1.1))
    const halfLife = Math.log(0.5) / Math.log(0.94)
    const fresh = ewmaSigma(calm(1), HOUR)
    const old = ewmaSigma(calm(Math.round(halfLife * 24) + 1), HOUR)
    expect((old / fresh) ** 2).toBeCloseTo(0.5, 3)
  })

  test('is as far off as its standard error says', () => {
    const model = { price: 100, sigma: 0.8, drift: 0, years: 200 / 365 }
    const paths = [...randomPaths(model, { paths: 400, steps: 200, seed: 11 })].map((path) => Float64Array.from(path))
    const errors = paths.map((closes) => ewmaSigma(closes, DAY) / 0.8 - 1)
    const said = paths.map((closes) => relativeError(closes, closes.map(yes)))
    const rootOfMean = (of: readonly number[]) => Math.sqrt(of.reduce((sum, one) => sum + one ** 2, 0) / of.length)
    expect(rootOfMean(said) / rootOfMean(errors)).toBeGreaterThan(0.9)
    expect(rootOfMean(said) / rootOfMean(errors)).toBeLessThan(1.15)
    // Weights 1 and 0.94, and a kurtosis that two returns cannot show to be above the normal one.
    const [weights, squares] = [1.94, 1 + 0.94 ** 2]
    const count = weights ** 2 / squares
    expect(relativeError([1, 2, 1], [1, 1, 1])).toBeCloseTo((1 + 1 / count ** 2) / Math.sqrt(2 * count), 14)
  })

  test.each([1, 2, 3, 6])('holds the truth in two of three samples of %i trades', (trades) => {
    const model = { price: 100, sigma: 0.8, drift: 0, years: trades / 365 }
    // Weights so even that the count of returns is theirs.
    const minutes = { barSeconds: 60, traded: Array.from({ length: trades + 1 }, () => true), leastMove: 0 }
    const within = [...randomPaths(model, { paths: 2_000, steps: trades, seed: 3 })].filter((path) => {
      const sigma = ewmaSigma(path, minutes) / Math.sqrt(1_440)
      return Math.abs(sigma - 0.8) < ewmaStandardError(path, minutes) / Math.sqrt(1_440)
    })
    expect(within.length / 2_000).toBeGreaterThan(0.64)
    expect(within.length / 2_000).toBeLessThan(0.75)
  })

  test('counts bars with a trade alone, by their weights, and never takes a price that stood still for certain', () => {
    const still = Array.from({ length: 720 }, () => 5)
    const error = (tradedAt: readonly number[], leastMove = 0.003) =>
      ewmaStandardError(still, { ...HOUR, traded: still.map((_, bar) => tradedAt.includes(bar)), leastMove })
    const hidden = (0.003 / Math.sqrt(3)) * Math.sqrt(8760)
    // Two trades are one change, however old: the volatility that the fee hides is known no better than by the factor sqrt(2).
    expect(error([0, 1])).toBeCloseTo(hidden * Math.SQRT2, 12)
    expect(error([0, 719])).toBeCloseTo(hidden * Math.SQRT2, 12)
    expect(error([0, 719], 0.0001)).toBeCloseTo((hidden / 30) * Math.SQRT2, 12)
    const weight = 0.94 ** (10 / 24)
    const count = (1 + weight) ** 2 / (1 + weight ** 2)
    expect(error([0, 709, 719])).toBeCloseTo((hidden * (1 + 1 / count ** 2)) / Math.sqrt(2 * count), 12)
    const moved = still.map((close, bar) => (bar < 700 ? close : 6))
    const options = { ...HOUR, traded: still.map((_, bar) => bar === 0 || bar === 700), leastMove: 0.003 }
    expect(ewmaStandardError(moved, options) / ewmaSigma(moved, HOUR)).toBeCloseTo(Math.SQRT2, 12)
    for (const tradedAt of [[], [0]]) expect(() => error(tradedAt)).toThrow(expect.objectContaining(tooShort))
    expect(() => ewmaStandardError([5], { ...HOUR, traded: [true], leastMove: 0 })).toThrow(
      expect.objectContaining(tooShort),
    )
  })

  test('of closes that never move is 0, and short series start without a bias', () => {
    expect([ewmaSigma([5, 5, 5], DAY), realisedSigma([5, 5, 5], DAY)]).toEqual([0, 0])
    expect(ewmaSigma([1, 1.1], DAY)).toBeCloseTo(Math.log(1.1) * Math.sqrt(365), 14)
  })

  test.each([
    [[1], DAY, 'SERIES_TOO_SHORT'],
    [[1, 0, 1], DAY, 'PRICE_OUT_OF_RANGE'],
    [[1, Number.NaN, 1], DAY, 'PRICE_OUT_OF_RANGE'],
    [[1, -2, 1], DAY, 'PRICE_OUT_OF_RANGE'],
    [[1, Number.POSITIVE_INFINITY, 1], DAY, 'PRICE_OUT_OF_RANGE'],
    [[1, 2, 1], { barSeconds: 0 }, 'YEARS_OUT_OF_RANGE'],
    [[1, 2, 1], { barSeconds: Number.NaN }, 'YEARS_OUT_OF_RANGE'],
  ])('refuses %o with %o', (closes, options, code) => {
    expect(() => ewmaSigma(closes, options)).toThrow(expect.objectContaining({ code }))
    expect(() => realisedSigma(closes, options)).toThrow(expect.objectContaining({ code }))
  })

  test('a sample deviation wants two returns', () => {
    expect(() => realisedSigma([1, 2], DAY)).toThrow(expect.objectContaining({ code: 'SERIES_TOO_SHORT' }))
  })
})

describe('implied volatility', () => {
  test('is 2·fee·√(volume/tick TVL)·√365', () => {
    expect(impliedSigma({ feePips: 3000, dailyVolumeUsd: 5e7, tickTvlUsd: 1e6 })).toBeCloseTo(0.81056, 4)
    expect(impliedSigma({ feePips: 3000, dailyVolumeUsd: 0, tickTvlUsd: 1e6 })).toBe(0)
  })

  test.each([
    [{ feePips: 1e6 }, 'FEE_OUT_OF_RANGE'],
    [{ feePips: Number.NaN }, 'FEE_OUT_OF_RANGE'],
    [{ dailyVolumeUsd: -1 }, 'AMOUNT_NEGATIVE'],
    [{ dailyVolumeUsd: Number.POSITIVE_INFINITY }, 'AMOUNT_NEGATIVE'],
    [{ tickTvlUsd: 0 }, 'LIQUIDITY_OUT_OF_RANGE'],
    [{ tickTvlUsd: Number.NaN }, 'LIQUIDITY_OUT_OF_RANGE'],
    [{ tickTvlUsd: Number.POSITIVE_INFINITY }, 'LIQUIDITY_OUT_OF_RANGE'],
  ])('refuses %o', (change, code) => {
    expect(() => impliedSigma({ feePips: 3000, dailyVolumeUsd: 1, tickTvlUsd: 1, ...change })).toThrow(
      expect.objectContaining({ code }),
    )
  })
})

describe('classes of volatility', () => {
  test.each([
    [0, 'STABLE'],
    [0.0499, 'STABLE'],
    [0.05, 'LOW'],
    [0.3, 'MODERATE'],
    [0.8, 'HIGH'],
    [1.5, 'EXTREME'],
    [40, 'EXTREME'],
  ])('%d is %s', (sigma, label) => {
    expect(classifyVolatility(sigma)).toBe(label)
  })

  test.each([-0.1, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (sigma) => {
    expect(() => classifyVolatility(sigma)).toThrow(expect.objectContaining({ code: 'SIGMA_OUT_OF_RANGE' }))
  })
})
