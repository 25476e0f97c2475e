import { describe, expect, test } from 'vitest'
import { createRangeAnalyser, type RangeMarket, usableRange } from './create-range-analyser.ts'
import { arbitrageShare, expectedIl, expectedLvr } from '../closed-form/expected-il.ts'
import { createOccupationTable, timeInRange } from '../closed-form/occupation.ts'
import { positionValue } from '../closed-form/position-value.ts'
import { stayInRangeProbability, terminalInRangeProbability } from '../closed-form/stay-in-range-probability.ts'
import { createFeeModel, ownLiquidity, type LiquidityProfile, liquidityProfile } from '../fee-model/fee-model.ts'
import { seededUniform } from '../closed-form/closed-form.fixture.ts'
import { fullRangeTicks } from '../ticks/ticks.ts'
import { candidateRanges, chooseRange } from './choose-range.ts'
import { busyMarket } from './range-market.fixture.ts'

const MARKET = { ...busyMarket(100), gasCost: 20 }
const ANALYSER = createRangeAnalyser(MARKET)
const { price } = MARKET.model
/** Fees that outweigh LVR, and so much of its own that a narrow range dilutes itself. */
const RICH: RangeMarket = { ...MARKET, feesPerDay: 150_000, value: 3_000_000, gasCost: 0 }
const refusal = (code: string) => expect.objectContaining({ code })

describe('analysis of a range', () => {
  test('puts together what the closed forms say, at three volatilities', () => {
    const range = ANALYSER.analyse({ lower: 0.9 * price, upper: 1.12 * price })
    const { bounds, sensitivity } = range
    for (const [factor, part] of [
      [1, range],
      [0.8, sensitivity.calmer],
      [1.2, sensitivity.wilder],
    ] as const) {
      const model = { ...MARKET.model, sigma: 0.7 * factor }
      const worth = positionValue(bounds, price)
      const fees = createFeeModel({ ...MARKET, occupation: createOccupationTable(model) })
      const lvrApr = (100 * expectedLvr(bounds, model)) / worth / model.years
      const share = arbitrageShare({ feePips: 500, sigma: model.sigma, blockSeconds: 12 })
      expect(part.liquidity).toBeCloseTo(ownLiquidity(bounds, price, MARKET.value), 9)
      expect(part.feeApr).toBeCloseTo((100 * fees.feesPerYear(bounds, part.liquidity).diluted) / MARKET.value, 9)
      expect(part.lvrApr / lvrApr).toBeCloseTo(1, 6)
      expect(part.arbitrageLossApr / (lvrApr * share)).toBeCloseTo(1, 6)
      expect(part.gasApr).toBeCloseTo((100 * 20 * 365) / 30 / 10_000, 10)
      expect(part.netApr).toBeCloseTo(part.feeApr - part.lvrApr - part.gasApr, 10)
      expect(part.timeInRange).toBeCloseTo(timeInRange(bounds, model), 7)
      expect(part.ilPct).toBe(100 * expectedIl(bounds, model))
    }
    expect(range.terminalInRangeProbability).toBe(terminalInRangeProbability(bounds, MARKET.model))
    expect(range.stayInRangeProbability).toBe(stayInRangeProbability(bounds, MARKET.model))
    expect(range.widthPct).toBeCloseTo((100 * (bounds.upper - bounds.lower)) / price, 10)
    expect(sensitivity.calmer.timeInRange).toBeGreaterThan(range.timeInRange)
    expect(sensitivity.wilder.lvrApr).toBeGreaterThan(range.lvrApr)
  })

  test('counts net what holding would not have lost: fees less E[HODL - LP], for a price without drift', () => {
    const { netApr, feeApr, gasApr, liquidity, bounds } = ANALYSER.analyse({ lower: 0.9 * price, upper: 1.1 * price })
    const lost = liquidity * expectedLvr(bounds, MARKET.model)
    const fees = (MARKET.value * feeApr * 30) / 365 / 100
    expect(((netApr + gasApr) * MARKET.value * 30) / 365 / 100).toBeCloseTo(fees - lost, 3)
  })

  test.each([1, 10, 60, 200])('widens to usable ticks, by less than a spacing of %d', (tickSpacing) => {
    const analyser = createRangeAnalyser({ ...MARKET, tickSpacing })
    const asked = { lower: 0.8771 * price, upper: 1.0933 * price }
    const { tickLower, tickUpper, bounds } = analyser.analyse(asked)
    const step = 1.0001 ** tickSpacing
    expect([Math.abs(tickLower % tickSpacing), Math.abs(tickUpper % tickSpacing)]).toEqual([0, 0])
    expect(bounds.lower).toBeLessThanOrEqual(asked.lower)
    expect(bounds.lower * step).toBeGreaterThan(asked.lower)
    expect(bounds.upper).toBeGreaterThanOrEqual(asked.upper)
    expect(bounds.upper / step).toBeLessThan(asked.upper)
    expect(bounds.lower / (1.0001 ** tickLower * 1e12)).toBeCloseTo(1, 12)
    // What is usable stays as it is.
    expect(analyser.analyse(bounds)).toMatchObject({ tickLower, tickUpper })
  })

  test('leaves every usable range as it is, however its prices were rounded', () => {
    for (let tick = -300_000; tick < 300_000; tick += 6130) {
      const bounds = { lower: 1.0001 ** tick * 1e12, upper: 1.0001 ** (tick + 10) * 1e12 }
      expect(usableRange(bounds, MARKET)).toEqual({ tickLower: tick, tickUpper: tick + 10, bounds })
    }
  })

  test('knows one tick, the ends of all prices, and the full range', () => {
    const tick = ANALYSER.analyse({ lower: price, upper: price * (1 + 1e-9) })
    expect(tick.tickUpper - tick.tickLower).toBe(10)
    const full = fullRangeTicks(10)
    expect(ANALYSER.analyse({ lower: 0, upper: Number.POSITIVE_INFINITY })).toMatchObject({
      ...full,
      bounds: { lower: 0, upper: Number.POSITIVE_INFINITY },
      stayInRangeProbability: 1,
      widthPct: Number.POSITIVE_INFINITY,
    })
    expect(ANALYSER.analyse({ lower: 1e60, upper: 1e70 }).tickLower).toBe(full.tickUpper - 10)
    expect(ANALYSER.analyse({ lower: 0, upper: 1e-60 }).tickUpper).toBe(full.tickLower + 10)
    const missed = ANALYSER.analyse({ lower: 20 * price, upper: 30 * price })
    expect(missed.timeInRange).toBeLessThan(1e-9)
    expect(missed.feeApr).toBeLessThan(1e-6)
  })

  test('stands at no volatility and at 500 %', () => {
    const still = createRangeAnalyser({ ...MARKET, model: { ...MARKET.model, sigma: 0 } })
    const calm = still.analyse({ lower: 0.99 * price, upper: 1.01 * price })
    expect(calm).toMatchObject({ timeInRange: 1, lvrApr: 0, arbitrageLossApr: 0, ilPct: 0, stayInRangeProbability: 1 })
    expect(calm.feeApr).toBeGreaterThan(0)
    const utmost = createRangeAnalyser({ ...MARKET, model: { ...MARKET.model, sigma: 9 } })
    expect(utmost.analyse({ lower: 0.9 * price, upper: 1.1 * price }).sensitivity.wilder.sigma).toBe(10)
    const wild = createRangeAnalyser({ ...MARKET, model: { ...MARKET.model, sigma: 5, years: 5 } })
    for (const one of candidateRanges(wild)) {
      expect([one.feeApr, one.lvrApr, one.netApr, one.ilPct, one.timeInRange].every(Number.isFinite)).toBe(true)
    }
  })

  test.each([
    [{ value: 0 }, 'VALUE_OUT_OF_RANGE'],
    [{ value: Number.NaN }, 'VALUE_OUT_OF_RANGE'],
    [{ gasCost: -1 }, 'VALUE_OUT_OF_RANGE'],
    [{ feesPerDay: Number.POSITIVE_INFINITY }, 'VALUE_OUT_OF_RANGE'],
    [{ feePips: 1e6 }, 'FEE_OUT_OF_RANGE'],
    [{ blockSeconds: 0 }, 'YEARS_OUT_OF_RANGE'],
    [{ tickSpacing: 0 }, 'TICK_SPACING_OUT_OF_RANGE'],
    [{ decimals0: 1.5 }, 'DECIMALS_OUT_OF_RANGE'],
    [{ model: { ...MARKET.model, sigma: -1 } }, 'SIGMA_OUT_OF_RANGE'],
    [{ model: { ...MARKET.model, price: 0 } }, 'PRICE_OUT_OF_RANGE'],
  ])('refuses a market with %o', (change, code) => {
    expect(() => createRangeAnalyser({ ...MARKET, ...change })).toThrow(refusal(code))
  })

  test('refuses bounds that mean nothing', () => {
    expect(() => ANALYSER.analyse({ lower: 2, upper: 1 })).toThrow(refusal('RANGE_EMPTY'))
    expect(() => ANALYSER.analyse({ lower: Number.NaN, upper: 1 })).toThrow(refusal('PRICE_OUT_OF_RANGE'))
  })
})

describe('candidates', () => {
  test('are labelled from narrow to full, each with all of its numbers', () => {
    const ranges = candidateRanges(ANALYSER, [5, 10, 50])
    expect(ranges.map(({ label }) => label)).toEqual(['±5 %', '±10 %', '±50 %', 'full'])
    expect(ranges[1]).toEqual({ label: '±10 %', ...ANALYSER.analyse({ lower: 0.9 * price, upper: 1.1 * price }) })
    for (const halfWidth of [0, 100, Number.NaN, -5]) {
      expect(() => candidateRanges(ANALYSER, [halfWidth])).toThrow(/^Each of halfWidthsPct/)
    }
  })
})

describe('the chosen range', () => {
  test.each([
    ['conservative', 0.95, 0],
    ['moderate', 0.8, 0],
    ['aggressive', 0.6, 0],
    ['moderate on a driven price', 0.8, 4],
  ])('%s: keeps its target, and no range of a dense grid that keeps it earns more', (_, target, drift) => {
    const analyser = createRangeAnalyser({ ...RICH, model: { ...RICH.model, drift } })
    const { best, atTarget } = chooseRange(analyser, target)
    expect(best.timeInRange).toBeGreaterThanOrEqual(target)
    expect(atTarget.timeInRange).toBeGreaterThanOrEqual(target)
    expect(atTarget.timeInRange).toBeLessThan(target + 0.003)
    expect(best.netApr).toBeGreaterThan(0)
    const grid = gridOf(0.02, 3).filter((bounds) => analyser.timeShare(bounds) >= target)
    const greatest = Math.max(...grid.map((bounds) => analyser.netApr(bounds)))
    // Widening to usable ticks costs some.
    expect(best.netApr).toBeGreaterThan(greatest * 0.995)
    expect(best.netApr).toBeGreaterThanOrEqual(atTarget.netApr - 0.001 * Math.abs(atTarget.netApr))
  })

  test('earns no less than the ranges beside it, in pools with far fewer ticks than the price moves', () => {
    const uniform = seededUniform(20)
    const between = (low: number, high: number): number => low + (high - low) * uniform()
    const flat = (price: number): LiquidityProfile => {
      const tick = Math.floor(Math.log(price) / Math.log(1.0001))
      return liquidityProfile({ ticks: [], tick, liquidity: 10n ** 24n, decimals0: 18, decimals1: 18, inverted: false })
    }
    const coarse = {
      ...MARKET,
      feesPerDay: 1000,
      value: 10_000,
      gasCost: 0,
      decimals1: 18,
      tickSpacing: 200,
      feePips: 10_000,
    }
    for (let pool = 0; pool < 150; pool += 1) {
      const model = { price: Math.exp(between(-4, 4)), sigma: between(0.05, 0.5), drift: 0, years: 30 / 365 }
      const analyser = createRangeAnalyser({ ...coarse, model, profile: flat(model.price) })
      const target = [0.5, 0.8, 0.95][pool % 3] ?? 0.5
      const { best, ...beside } = chooseRange(analyser, target)
      const greatest = Math.max(...Object.values(beside).map(({ netApr }) => netApr))
      expect(best.netApr).toBeGreaterThan(greatest - 1e-6)
      expect(best.timeInRange).toBeGreaterThanOrEqual(target)
    }
  })

  test('lies within, where a great position would dilute a narrow range', () => {
    const { best, atTarget } = chooseRange(createRangeAnalyser({ ...RICH, value: 1e9 }), 0.3)
    expect(best.timeInRange).toBeGreaterThan(atTarget.timeInRange + 0.05)
    expect(best.netApr).toBeGreaterThan(atTarget.netApr)
  })

  test('is the full range where fees do not pay for LVR, with the range at the target beside it', () => {
    const { best, atTarget } = chooseRange(createRangeAnalyser({ ...MARKET, feesPerDay: 10 }), 0.8)
    expect(best).toMatchObject(fullRangeTicks(10))
    expect(best.netApr).toBeLessThan(0)
    expect(atTarget.timeInRange).toBeGreaterThanOrEqual(0.8)
    expect(atTarget.timeInRange).toBeLessThan(0.803)
  })

  test('at no volatility is as narrow as ticks are', () => {
    const model = { ...MARKET.model, sigma: 0 }
    const { best } = chooseRange(createRangeAnalyser({ ...MARKET, model, gasCost: 0 }), 0.8)
    expect(best.tickUpper - best.tickLower).toBeLessThanOrEqual(20)
  })

  test.each([1, 1.5, -0.1, Number.NaN])('refuses a target of %d', (target) => {
    expect(() => chooseRange(ANALYSER, target)).toThrow(refusal('PROBABILITY_OUT_OF_RANGE'))
  })
})

/** Bounds of 60 widths and 21 skews. */
function gridOf(narrowest: number, widest: number): { lower: number; upper: number }[] {
  return Array.from({ length: 60 * 21 }, (_, index) => {
    const halfWidth = narrowest * (widest / narrowest) ** (Math.floor(index / 21) / 59)
    const skew = ((index % 21) - 10) / 20
    return { lower: price * Math.exp(-halfWidth * (1 - skew)), upper: price * Math.exp(halfWidth * (1 + skew)) }
  })
}
