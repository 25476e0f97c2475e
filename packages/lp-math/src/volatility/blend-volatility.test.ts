import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../random/create-random.ts'
import { blendVolatility, driftVariance, mostLogDistance, mostMemoryWeight } from './blend-volatility.ts'

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
