import { expect, test } from 'vitest'
import { maximumOf } from './choose-range.ts'

const SEARCH = { from: -1, to: 3, samples: 6, sections: 20 }

test('finds the top of a hill, of the higher of two, and at an end', () => {
  const hill = maximumOf((x) => 5 - (x - 0.37) ** 2, SEARCH)
  expect(hill.at).toBeCloseTo(0.37, 3)
  expect(hill.value).toBeCloseTo(5, 6)
  expect(maximumOf((x) => Math.sin(4 * x) + x / 10, SEARCH).at).toBeCloseTo(1.9697, 3)
  expect(maximumOf((x) => x, SEARCH)).toEqual({ at: 3, value: 3 })
  expect(maximumOf((x) => -x, SEARCH)).toEqual({ at: -1, value: 1 })
  expect(maximumOf(() => 7, { ...SEARCH, to: -1 })).toEqual({ at: -1, value: 7 })
})
