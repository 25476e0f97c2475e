import { describe, expect, test } from 'vitest'
import { randomPaths } from '../closed-form/closed-form.fixture.ts'
import {
  classifyVolatility,
  ewmaSigma,
  ewmaStandardError,
  impliedSigma,
  realisedSigma,
  blendVolatility,
  driftVariance,
  mostLogDistance,
  mostMemoryWeight,
} from './volatility.ts'
import * as fc from 'fast-check'
import { createRandom } from '../random/create-random.ts'

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

const market = { sigma: 0.8, standardError: 0.1 }

describe('a blended volatility', () => {
  test('weighs the logarithms of variances by their precisions', () => {
    const { sigma, standardError, weight } = blendVolatility(market, [{ sigma: 1, returns: 40, confidence: 0.5 }])
    const [marketVariance, ownVariance] = [0.25 ** 2, driftVariance + 1 / 10]
    const byHand = marketVariance / (marketVariance + ownVariance)
    expect(weight).toBeCloseTo(byHand, 14)
    expect(sigma).toBeCloseTo(Math.exp(byHand * (1 / 80) + (1 - byHand) * Math.log(0.8)), 14)
    const variance = byHand ** 2 * ownVariance + (1 - byHand) ** 2 * marketVariance
    expect(standardError).toBeCloseTo((sigma * Math.sqrt(variance)) / 2, 14)
    // At the best weight the precisions add up.
    expect(1 / variance).toBeCloseTo(1 / marketVariance + 1 / ownVariance, 10)
  })

  test('is that of the market, to the bit, without episodes and where none counts', () => {
    const nothing = { ...market, weight: 0, ownSigma: null, returns: 0, episodes: 0 }
    expect(blendVolatility(market, [])).toEqual(nothing)
    expect(blendVolatility(market, [{ sigma: 5, returns: 1_000, confidence: 0 }])).toEqual(nothing)
    expect(blendVolatility(market, [{ sigma: 0, returns: 1_000, confidence: 1 }])).toEqual(nothing)
    const sure = { sigma: 0.8, standardError: 0 }
    expect(blendVolatility(sure, [{ sigma: 5, returns: 9, confidence: 1 }])).toMatchObject({ ...sure, weight: 0 })
    const still = { sigma: 0, standardError: 0.1 }
    expect(blendVolatility(still, [{ sigma: 5, returns: 9, confidence: 1 }])).toMatchObject({ ...still, weight: 0 })
  })

  test('refuses what is none', () => {
    const good = { sigma: 1, returns: 9, confidence: 1 }
    for (const bad of [{ sigma: -1 }, { sigma: NaN }, { returns: 0 }, { returns: Infinity }, { confidence: 1.1 }]) {
      expect(() => blendVolatility(market, [{ ...good, ...bad }])).toThrow('An episode has')
    }
    expect(() => blendVolatility(market, [{ ...good, confidence: Number.NaN }])).toThrow('An episode has')
    for (const bad of [{ sigma: Infinity }, { standardError: -1 }, { standardError: NaN }]) {
      expect(() => blendVolatility({ ...market, ...bad }, [good])).toThrow('The market has')
    }
  })

  test('moves by no more than its stated weight of its stated distance, whatever stands in memory', () => {
    const extreme = fc.oneof(
      fc.constantFrom(0, 1e-300, 1e-12, 1e12, 1e300),
      fc.double({ min: 0, max: 10, noNaN: true }),
    )
    const episode = fc.record({
      sigma: extreme,
      returns: fc.constantFrom(1, 2, 100, 1e9, 1e300),
      confidence: fc.oneof(fc.constantFrom(0, 1e-300, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    })
    const given = fc.record({
      sigma: fc.double({ min: 1e-6, max: 10, noNaN: true }),
      standardError: fc.double({ min: 0, max: 1e6, noNaN: true }),
    })
    const most = Math.exp((mostMemoryWeight * mostLogDistance) / 2)
    expect(most).toBeCloseTo(Math.SQRT2, 14)
    fc.assert(
      fc.property(given, fc.array(episode, { maxLength: 30 }), (of, episodes) => {
        const { sigma, standardError, weight } = blendVolatility(of, episodes)
        const factor = sigma / of.sigma
        expect([factor <= most * (1 + 1e-12), factor * most * (1 + 1e-12) >= 1]).toEqual([true, true])
        expect([
          weight >= 0 && weight <= mostMemoryWeight,
          standardError >= 0 && Number.isFinite(standardError),
        ]).toEqual([true, true])
      }),
      { seed: 17, numRuns: 300 },
    )
  })

  // Returns are drawn, not their errors: each market has a true volatility, and the episodes had another that drifted from it.
  test.each([
    { seen: 20, episodes: 1, returns: 30, drift: driftVariance },
    { seen: 20, episodes: 5, returns: 60, drift: driftVariance },
    { seen: 10, episodes: 3, returns: 10, drift: driftVariance },
    { seen: 40, episodes: 8, returns: 100, drift: driftVariance },
    // Where episodes drift less, or half as far again in deviations, than is said.
    { seen: 20, episodes: 3, returns: 60, drift: driftVariance / 4 },
    { seen: 15, episodes: 3, returns: 60, drift: driftVariance * 2 },
  ])('is nearer to the truth than either alone: $seen returns seen, $episodes episodes of $returns', (given) => {
    const random = createRandom(1_946)
    const rootOf = (count: number, sigma: number) => {
      let squares = 0
      for (let index = 0; index < count; index += 1) squares += random.normal() ** 2
      return sigma * Math.sqrt(squares / count)
    }
    const missed = { market: 0, own: 0, blend: 0 }
    for (let run = 0; run < 1_500; run += 1) {
      const truth = Math.exp(random.normal())
      const before = truth * Math.exp((Math.sqrt(given.drift) * random.normal()) / 2)
      const sigma = rootOf(given.seen, truth)
      const episodes = Array.from({ length: given.episodes }, () => {
        return { sigma: rootOf(given.returns, before), returns: given.returns, confidence: 1 }
      })
      const blend = blendVolatility({ sigma, standardError: sigma / Math.sqrt(2 * given.seen) }, episodes)
      const off = (estimate: number) => (2 * Math.log(estimate / truth)) ** 2
      missed.market += off(sigma)
      missed.own += off(blend.ownSigma ?? 0)
      missed.blend += off(blend.sigma)
    }
    const { market: ofMarket, own: ofOwn, blend: ofBlend } = missed
    expect([ofBlend / ofMarket < 0.97, ofBlend / ofOwn < 0.97, ofMarket, ofOwn, ofBlend]).toEqual([
      true,
      true,
      ofMarket,
      ofOwn,
      ofBlend,
    ])
  })
})
