import { expect, test } from 'vitest'
import { percents } from './figures.ts'

test.each([
  [0.456, 2, 'lead', '0.46'],
  [-12.34, 1, 'lead', '-12.3'],
  [1_000, 0, 'lead', '1000'],
  [1_000.1, 0, 'lead', 'over 1,000'],
  [4.568e21, 0, 'lead', 'over 1,000'],
  [4.568e21, 0, 'yield', 'over 1,000,000'],
  [2_345.67, 1, 'yield', '2345.7'],
  [Number.POSITIVE_INFINITY, 1, 'lead', 'over 1,000'],
  [-4.5e23, 2, 'yield', 'under -1,000,000'],
] as const)('%d to %i digits of a %s is %s', (value, digits, most, reported) => {
  expect(percents(value, digits, most)).toBe(reported)
})
