import { describe, expect, test } from 'vitest'
import { LpMathError } from '../lp-math-error.ts'
import { createRandom } from '../random/create-random.ts'
import { feesAhead } from './yields-ahead.ts'
import { type Interval, intervalOf } from './level-ahead.ts'
import { volatilityAhead } from './volatility-ahead.ts'

const day = { barSeconds: 86_400, horizonDays: 30 }

/** Logarithms of days that are forgotten by half in three weeks, and what belongs to each day alone. */
function drawnDays(seed: number, count: number): Float64Array {
  const random = createRandom(seed)
  const keep = 0.5 ** (1 / 21)
  let level = 0.6 * random.normal()
  return Float64Array.from({ length: count }, () => {
    level = keep * level + 0.6 * Math.sqrt(1 - keep ** 2) * random.normal()
    return Math.exp(level + 0.35 * random.normal())
  })
}

const mean = (values: Float64Array) => values.reduce((sum, one) => sum + one, 0) / values.length

function percentIn(cases: readonly (readonly [Interval, number])[], inner: boolean): number {
  const held = cases.filter(([{ low95, low68, high68, high95 }, came]) =>
    inner ? came >= low68 && came <= high68 : came >= low95 && came <= high95,
  )
  return (100 * held.length) / cases.length
}

describe('fees ahead', () => {
  const seen = Float64Array.from({ length: 30 }, (_, at) => 100 + 20 * (at % 3))

  test.each([7, 14, 30])('lie where it is said in %i days of pools that nobody fitted', (horizonDays) => {
    const cases = Array.from({ length: 200 }, (_, seed) => {
      const days = drawnDays(seed, 30 + horizonDays)
      const forecast = feesAhead(days.subarray(0, 30), { ...day, horizonDays })!
      return [intervalOf(forecast), mean(days.subarray(30))] as const
    })
    // Calmer than real pools, whose switches the intervals allow for.
    expect(Math.abs(percentIn(cases, true) - 73)).toBeLessThan(6)
    expect(percentIn(cases, false)).toBeGreaterThan(95)
  })

  test('scale with the money, and are the same of hours and of days', () => {
    const one = feesAhead(seen, day)!
    expect(
      feesAhead(
        seen.map((fee) => 1_000 * fee),
        day,
      ),
    ).toMatchObject({
      location: expect.closeTo(one.location + Math.log(1_000), 9),
      scale: expect.closeTo(one.scale, 9),
    })
    const hours = Float64Array.from({ length: 720 }, (_, hour) => (seen[Math.floor(hour / 24)] ?? 0) / 24)
    expect(feesAhead(hours, { ...day, barSeconds: 3_600 })!.scale).toBeCloseTo(one.scale, 9)
  })

  test('are surer of more days, and less sure of days that are missing or farther ahead', () => {
    const scale = (fees: Float64Array, horizonDays = 30) => feesAhead(fees, { ...day, horizonDays })!.scale
    expect(scale(seen)).toBeLessThan(scale(seen.subarray(23)))
    expect(scale(seen, 90)).toBeGreaterThan(scale(seen))
    const gaps = seen.map((fee, at) => (at % 2 === 1 ? Number.NaN : fee))
    expect(scale(gaps)).toBeGreaterThan(scale(seen))
    const stopped = seen.map((fee, at) => (at > 19 ? Number.NaN : fee))
    expect(scale(stopped, 7)).toBeGreaterThan(1.2 * scale(seen.subarray(10), 7))
  })

  test('of less than a day are forecast, of none and of nothing are not', () => {
    expect(feesAhead(Float64Array.of(1, 2), { ...day, barSeconds: 3_600 })!.scale).toBeGreaterThan(0.5)
    for (const none of [new Float64Array(), new Float64Array(9), Float64Array.of(Number.NaN)]) {
      expect(feesAhead(none, day)).toBeNull()
    }
  })

  test.each([0, 3_651, Number.NaN])('refuse a horizon of %d days', (horizonDays) => {
    expect(() => feesAhead(seen, { ...day, horizonDays })).toThrow(LpMathError)
  })
})

describe('volatility ahead', () => {
  const closesOf = (sigmas: Float64Array, seed: number) => {
    const random = createRandom(seed, 1)
    let log = 0
    return Float64Array.of(1, ...Array.from(sigmas, (sigma) => Math.exp((log += 0.03 * sigma * random.normal()))))
  }
  const shown = (closes: Float64Array) => {
    const squares = closes.slice(1).map((close, at) => Math.log(close / (closes[at] ?? close)) ** 2)
    return Math.sqrt(mean(squares) * 365)
  }

  test.each([7, 30])('lies where it is said in %i days of daily closes', (horizonDays) => {
    const cases = Array.from({ length: 200 }, (_, seed) => {
      const closes = closesOf(drawnDays(seed, 60 + horizonDays).map(Math.sqrt), seed)
      const forecast = volatilityAhead(closes.subarray(0, 61), { ...day, horizonDays })!
      return [intervalOf(forecast), shown(closes.subarray(60))] as const
    })
    expect(Math.abs(percentIn(cases, true) - 73)).toBeLessThan(6)
    expect(percentIn(cases, false)).toBeGreaterThan(95)
  })

  test('is less sure where few bars saw a trade, and not known where the price stood still', () => {
    const closes = closesOf(new Float64Array(720).fill(0.2), 1)
    const hours = { barSeconds: 3_600, horizonDays: 30 }
    const all = volatilityAhead(closes, hours)!
    const isTrade = (at: number) => at % 12 === 0
    const held = Float64Array.from(closes, (_, at) => closes[at - (at % 12)] ?? 1)
    const few = volatilityAhead(held, { ...hours, traded: Array.from(held, (_, at) => isTrade(at)) })!
    expect(few.scale).toBeGreaterThan(all.scale)
    expect(Math.abs(Math.exp(all.location) / (shown(closes) * Math.sqrt(24)) - 1)).toBeLessThan(0.15)
    expect(Math.abs(few.location - all.location)).toBeLessThan(0.25)
    expect(volatilityAhead(new Float64Array(9).fill(2), hours)).toBeNull()
  })
})
