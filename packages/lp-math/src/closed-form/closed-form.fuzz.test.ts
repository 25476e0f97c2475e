import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createOccupationTable, timeInRange } from './occupation.ts'
import { expectedExitYears, stayInRangeProbability, terminalInRangeProbability } from './stay-in-range-probability.ts'
import { expectedIl, expectedIlOfMeans, expectedLvr, expectedPositionValue } from './expected-il.ts'
import { positionValue } from './position-value.ts'

const anyExponent = (min: number, max: number) => fc.double({ min, max, noNaN: true }).map((power) => 10 ** power)

const anyModel = fc.record({
  price: anyExponent(-36, 36),
  sigma: fc.oneof(fc.constant(0), anyExponent(-6, 1), fc.double({ min: 0, max: 10, noNaN: true })),
  drift: fc.oneof(
    fc.constant(0),
    anyExponent(-6, 1),
    anyExponent(-6, 1).map((drift) => -drift),
  ),
  years: anyExponent(-7, 1),
})

/** One of ranges a tick wide to the widest that ticks allow, near the price or out of its reach; some without a lower or upper bound. */
const anyCase = fc
  .record({
    model: anyModel,
    width: anyExponent(-4, 2.2),
    place: fc.double({ min: -1, max: 2, noNaN: true }),
    open: fc.constantFrom('none', 'none', 'none', 'lower', 'upper', 'both'),
  })
  .map(({ model, width, place, open }) => ({
    model,
    bounds: {
      lower: open === 'lower' || open === 'both' ? 0 : model.price * Math.exp(-width * place),
      upper:
        open === 'upper' || open === 'both' ? Number.POSITIVE_INFINITY : model.price * Math.exp(width * (1 - place)),
    },
  }))

test('every answer is a number within its bounds, for every range and model', () => {
  fc.assert(
    fc.property(anyCase, ({ bounds, model }) => {
      const [time, end, stay] = [timeInRange, terminalInRangeProbability, stayInRangeProbability].map((f) =>
        f(bounds, model),
      )
      for (const probability of [time, end, stay]) {
        expect(probability).toBeGreaterThanOrEqual(0)
        expect(probability).toBeLessThanOrEqual(1)
      }
      expect(stay).toBeLessThanOrEqual(Math.min(time!, end!) + 1e-10)
      for (const loss of [expectedIl(bounds, model), expectedIlOfMeans(bounds, model)]) {
        expect(loss).toBeGreaterThanOrEqual(-1 - 1e-12)
        expect(loss).toBeLessThanOrEqual(1e-10)
      }
      const [worth, lvr, expected] = [
        positionValue(bounds, model.price),
        expectedLvr(bounds, model),
        expectedPositionValue(bounds, model),
      ]
      expect(Math.min(worth, expected)).toBeGreaterThanOrEqual(0)
      expect(Math.max(worth, lvr, expected)).toBeLessThan(Number.POSITIVE_INFINITY)
      const unexplained = model.drift === 0 ? Math.abs(worth - expected - lvr) / worth : 0
      expect(unexplained).toBeLessThan(1e-9)
      expect(expectedExitYears(bounds, model)).toBeGreaterThanOrEqual(0)
      expect(Math.abs(createOccupationTable(model).timeShare(bounds) - time!)).toBeLessThan(1e-4)
    }),
    { numRuns: 200 },
  )
})
