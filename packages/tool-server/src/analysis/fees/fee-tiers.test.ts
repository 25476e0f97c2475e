import { createRandom, liquidityProfile, studentDeviate } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { chooseFeeTier, type ScoredTier } from './choose-fee-tier.ts'
import { scoreFeeTier, type FeeTier } from './score-fee-tier.ts'

const price = 2_000
const calm = { sigmaError: 0, blockSeconds: 12 }

/** A pool of one liquidity everywhere, which holds `tvl` and pays `apr` percent of it a year. */
function tier(feeTier: number, tvl: number, apr: number, change: Partial<FeeTier> = {}): FeeTier & { tvlUsd: number } {
  const liquidity = BigInt(Math.round((tvl / 2 / Math.sqrt(price)) * 1e12))
  const facts = { ticks: [], tick: 0, liquidity, decimals0: 18, decimals1: 6, inverted: false }
  const fees = Array.from({ length: 30 }, () => (tvl * apr) / 100 / 365)
  return {
    trade: { fees, volumes: fees.map((day) => day / (feeTier / 1e6)), daysKnown: 30 },
    profile: liquidityProfile(facts),
    feePips: feeTier,
    tickSpacing: feeTier / 50,
    decimals0: 18,
    decimals1: 6,
    tvlUsd: tvl,
    ...change,
  }
}

function choose(tiers: readonly (FeeTier & { tvlUsd: number })[], sigma: number, sigmaError = 0) {
  const market = { price, sigma, ...calm, sigmaError, value: 10_000 }
  const [first, ...others] = tiers.map((one) => ({
    feeTier: one.feePips,
    tvlUsd: one.tvlUsd,
    daysKnown: one.trade.daysKnown,
    score: scoreFeeTier(one, market),
  }))
  return chooseFeeTier([first!, ...others], { classification: 'MODERATE', notionalUsd: 10_000 })
}

describe('the score of a fee tier', () => {
  test('is its part of the fees over its value, where the price stands still', () => {
    const [tvl, value] = [1e6, 10_000]
    const score = scoreFeeTier(tier(3_000, tvl, 20), { price, sigma: 0, ...calm, value })
    // Whatever usable range it got, own liquidity for a value falls with the width: the widest that is possible is two spacings.
    const ofWidth = (spacings: number) => {
      const width = 1.0001 ** ((60 * spacings) / 2)
      const own = value / (Math.sqrt(price) * (2 - 2 / Math.sqrt(width)))
      return ((tvl * 0.2 * own) / (own + tvl / 2 / Math.sqrt(price)) / value) * 100
    }
    expect(score.feeApr).toBeGreaterThan(ofWidth(2) * 0.9)
    expect(score.feeApr).toBeLessThan(ofWidth(0.5) * 1.1)
    expect([score.lvrApr, score.arbitrageLossApr, score.netApr - score.feeApr]).toEqual([0, 0, 0])
  })

  test('caps days beyond the others, and doubts a pool that often stands still', () => {
    const usual = tier(3_000, 1e7, 20)
    const market = { price, sigma: 0.6, ...calm, value: 10_000 }
    const plain = scoreFeeTier(usual, market)
    const wild = usual.trade.fees.with(10, 1e9)
    expect(scoreFeeTier({ ...usual, trade: { ...usual.trade, fees: wild } }, market).feeApr).toBeCloseTo(
      plain.feeApr,
      9,
    )
    const volumes = usual.trade.volumes.map((volume, day) => (day % 3 === 0 ? 0 : volume))
    const thin = scoreFeeTier({ ...usual, trade: { ...usual.trade, volumes } }, market)
    expect(thin.quietDaysPct).toBeCloseTo(100 / 3, 9)
    expect(plain.netApr - thin.netApr).toBeCloseTo(plain.feeApr / 3, 9)
    expect(plain.netAprOfWeek - thin.netAprOfWeek).toBeCloseTo(plain.feeAprOfWeek / 3, 9)
    expect(plain).toMatchObject({ feeUncertaintyPct: expect.closeTo(0, 6), quietDaysPct: 0 })
  })

  test.each([
    [1, null],
    [2, 0],
  ])('of %i known days has an error of %o', (days, error) => {
    const { trade, ...facts } = tier(3_000, 1e7, 20)
    const short = { fees: trade.fees.slice(-2), volumes: trade.volumes.slice(-2), daysKnown: days }
    const score = scoreFeeTier({ ...facts, trade: short }, { price, sigma: 0.6, ...calm, value: 1 })
    expect(score.feeUncertaintyPct).toBe(error)
  })

  test('of fees of nothing has no error in percent', () => {
    const { trade, ...facts } = tier(3_000, 1e7, 20)
    const none = { ...trade, fees: trade.fees.map(() => 0) }
    const score = scoreFeeTier({ ...facts, trade: none }, { price, sigma: 0.6, ...calm, value: 1 })
    expect(score).toMatchObject({ feeApr: 0, feeUncertaintyPct: null })
  })

  test('falls with the amount, as it dilutes itself', () => {
    const at = (value: number) => scoreFeeTier(tier(500, 1e6, 20), { price, sigma: 0.6, ...calm, value }).feeApr
    expect(at(1e6) / at(1)).toBeLessThan(0.5)
    expect(at(1e12)).toBeLessThan(0.001)
  })
})

describe('the choice of a fee tier', () => {
  // Two pairs of the year to December 2025: share of the volume misleads in the one and not in the other.
  test('goes by what a tier pays, not by its share of the volume', () => {
    const wethUsdt = choose([tier(500, 27.5e6, 12.8), tier(3_000, 72.5e6, 17.5)], 0.753)
    expect([wethUsdt.tier.feeTier, wethUsdt.confidence]).toEqual([3_000, 'HIGH'])
    const wbtcWeth = choose([tier(500, 70e6, 5.3), tier(3_000, 30e6, 2.9)], 0.471)
    expect([wbtcWeth.tier.feeTier, wbtcWeth.confidence]).toEqual([500, 'HIGH'])
  })

  test.each([
    ['a lead of 26 % in a deep pool', 12.6, 1e8, 'HIGH'],
    ['a lead of 20 %', 12, 1e8, 'MODERATE'],
    ['a lead of 5 %', 10.5, 1e8, 'LOW'],
    ['a lead of 30 % in a small pool', 13, 9e5, 'MODERATE'],
  ] as const)('of %s', (_, apr, tvl, confidence) => {
    // Shares of one size in both pools: the dilution by the amount is the same.
    const choice = choose([tier(500, tvl, apr), tier(3_000, tvl, 10, { tickSpacing: 10 })], 0.5)
    expect([choice.tier.feeTier, choice.confidence]).toEqual([500, confidence])
  })

  test('is unsure of a lead that the last week does not show', () => {
    const fading = tier(500, 1e8, 20)
    const fees = fading.trade.fees.map((day, index) => (index < 23 ? day : day / 2))
    const choice = choose([{ ...fading, trade: { ...fading.trade, fees } }, tier(3_000, 1e8, 10)], 0.5)
    expect([choice.tier.feeTier, choice.confidence]).toEqual([500, 'LOW'])
  })

  /** Every other day pays `part` more than the mean, and every other less. */
  const changeable = (feeTier: number, apr: number, part: number) => {
    const one = tier(feeTier, 1e8, apr, { tickSpacing: 10 })
    const fees = one.trade.fees.map((day, index) => day * (index % 2 === 0 ? 1 + part : 1 - part))
    return { ...one, trade: { ...one.trade, fees } }
  }

  test('is sure of a lead that is more than the errors of the fees of both, and says so', () => {
    const { tier: best, confidence, lead, reason } = choose([changeable(500, 15, 0.1), changeable(3_000, 10, 0.1)], 0.5)
    expect([best.feeTier, confidence, lead?.isClear]).toEqual([500, 'HIGH', true])
    // Thirty such days, of which 28 are not brought in, are off by a root of 29th of the part, and the last week by a seventh of it.
    const uncertainty = Math.hypot(((29 / 27) * 0.1) / Math.sqrt(29), 0.1 / 7)
    expect(best.score.feeUncertaintyPct).toBeCloseTo(100 * uncertainty, 6)
    expect(best.score.netAprError).toBeCloseTo(best.score.feeApr * uncertainty, 9)
    const rival = (10 / 15) ** 2
    const t = studentDeviate(1.96, (27 * (1 + rival) ** 2) / (1 + rival ** 2))
    expect(lead?.errors).toBeCloseTo(best.score.feeApr * uncertainty * Math.sqrt(1 + rival) * t, 6)
    expect(lead?.netApr).toBeCloseTo(best.score.feeApr / 3, 6)
    expect(reason).toMatch(/ more than the errors of both explain in 19 of 20 cases, \d+\.\d\d %\.$/)
  })

  test('is not sure of a lead within the errors of both, and says so', () => {
    const { tier: best, confidence, lead, reason } = choose([changeable(500, 15, 0.9), changeable(3_000, 11, 0.9)], 0.5)
    expect([best.feeTier, confidence, lead?.isClear]).toEqual([500, 'LOW', false])
    expect(reason).toMatch(
      / within what the errors of both explain in 19 of 20 cases, \d+\.\d\d %: the two are not distinguished\.$/,
    )
  })

  test('is clear against every other tier or against none, and names the one in doubt', () => {
    const sure = [changeable(500, 12, 0.1), changeable(3_000, 10, 0.1)] as const
    const unsure = changeable(10_000, 9.8, 0.99)
    const { confidence, lead, reason } = choose([...sure, unsure], 0.5)
    expect([confidence, lead?.isClear]).toEqual(['LOW', false])
    expect(lead?.netApr).toBeLessThan(lead?.errors ?? 0)
    expect(reason).toContain('above that of 1 %, which is within what the errors')
    expect(reason).toContain('It leads 0.3 % by')
  })

  test.each([
    [19, 30, 'MODERATE', '19 known days, 30 there'],
    [30, 19, 'MODERATE', '30 known days, 19 there'],
    [20, 20, 'HIGH', 'over 20 known days, and'],
  ] as const)('of %i and %i known days is told with these, HIGH from 20 on', (own, others, confidence, said) => {
    const lasting = (one: ReturnType<typeof tier>, days: number) => {
      const { fees, volumes } = one.trade
      return { ...one, trade: { fees: fees.slice(-days), volumes: volumes.slice(-days), daysKnown: days } }
    }
    const choice = choose([lasting(tier(500, 1e8, 15), own), lasting(tier(3_000, 1e8, 10), others)], 0.5)
    expect(choice.confidence).toBe(confidence)
    expect(choice.reason).toContain(said)
    expect(choice.reason.endsWith('Of a tier 19 days are known: HIGH asks for 20.')).toBe(confidence === 'MODERATE')
  })

  test.each([
    [7, 0.3],
    [10, 1],
  ])('of equal tiers calls at most one in 20 clear on %i days that scatter by %f', (days, scatter) => {
    const random = createRandom(7)
    const drawn = (apr: number, count: number) =>
      Array.from({ length: count }, () => {
        const { trade, ...one } = tier(500, 1e8, apr, { tickSpacing: 10 })
        const fees = trade.fees.slice(0, days).map((day) => day * Math.exp(scatter * random.normal()))
        const facts = { ...one, trade: { fees, volumes: fees, daysKnown: days } }
        const score = scoreFeeTier(facts, { price, sigma: 0.5, ...calm, value: 10_000 })
        return { feeTier: 500, tvlUsd: 1e8, daysKnown: days, score }
      })
    const clearOf = (one: readonly ScoredTier[], other: readonly ScoredTier[]) => {
      const about = { classification: 'MODERATE', notionalUsd: 10_000 } as const
      const leads = one.flatMap((a) => other.map((b) => chooseFeeTier([a, b], about).lead!.isClear))
      return leads.filter((isClear) => isClear).length / leads.length
    }
    const [equal, greater] = [drawn(10, 60), drawn(10 * Math.exp(4 * scatter), 10)]
    expect(clearOf(equal.slice(0, 30), equal.slice(30))).toBeLessThanOrEqual(0.05)
    // And what is far above the scatter is seen, mostly.
    expect(clearOf(greater, equal)).toBeGreaterThan(0.6)
  })

  test('does not let the volatility, which is one for both, hide a lead', () => {
    const { tier: best, lead } = choose([changeable(500, 15, 0), changeable(3_000, 12, 0)], 0.5, 0.4)
    expect(best.score.netAprError).toBeGreaterThan(lead?.netApr ?? 0)
    expect(lead?.errors).toBeGreaterThan(0)
    expect(lead).toMatchObject({ isClear: true })
  })

  test('says where fees do not pay for LVR', () => {
    expect(choose([tier(500, 1e8, 1), tier(3_000, 1e8, 2)], 2).reason).toContain('did not pay for LVR')
  })

  test.each([
    ['STABLE', [500, 3_000], 500],
    ['LOW', [100, 500, 3_000], 500],
    ['EXTREME', [500, 3_000], 3_000],
    [null, [100, 500, 10_000], 10_000],
  ] as const)('falls back to what is usual for %s among %j', (classification, fees, expected) => {
    const known = (feeTier: number): ScoredTier => ({ feeTier, tvlUsd: 1e9, daysKnown: 6, score: emptyScore })
    const [first, ...others] = fees.map(known)
    const choice = chooseFeeTier([first!, ...others], { classification, notionalUsd: 10_000 })
    expect([choice.tier.feeTier, choice.confidence]).toEqual([expected, 'LOW'])
    expect(choice.reason).toContain('Under 7 days')
  })
})

test('compares nothing without a volatility', () => {
  const known = (feeTier: number): ScoredTier => ({ feeTier, tvlUsd: 1e9, daysKnown: 30, score: emptyScore })
  const choice = chooseFeeTier([known(500), known(3_000)], { classification: null, notionalUsd: 10_000 })
  expect([choice.tier.feeTier, choice.confidence, choice.lead]).toEqual([3_000, 'LOW', null])
  expect(choice.reason).toContain('no volatility is known')
})

const emptyScore = scoreFeeTier(
  { ...tier(500, 1, 0), trade: { fees: [], volumes: [], daysKnown: 0 } },
  { price, sigma: 0.5, ...calm, value: 1 },
)
