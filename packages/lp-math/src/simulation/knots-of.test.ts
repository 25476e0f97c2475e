import { expect, test } from 'vitest'
import { knotsOf } from './create-knot-source.ts'

test.each([1, 7, 8, 30, 97, 720, 8_760])(
  '%s steps have both ends, eight knots or all, and none further than twelve steps apart',
  (steps) => {
    const knots = [...knotsOf(steps)]
    expect([knots[0], knots.at(-1)]).toEqual([0, steps])
    expect(knots.length - 1).toBeGreaterThanOrEqual(Math.min(steps, 8))
    const gaps = knots.slice(1).map((knot, at) => knot - knots[at]!)
    expect(Math.min(...gaps)).toBeGreaterThan(0)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(12)
  },
)
