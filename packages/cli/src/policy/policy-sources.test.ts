import { expect, test } from 'vitest'
import { expectedUsd } from './policy-sources.ts'

test.each([
  ['2.5', '1.25', '5'],
  ['3012.345', '1510', '6020'],
  ['90000', '45000', '180000'],
  ['123456789.5', '61700000', '247000000'],
  ['0.000012345678', '0.00000617', '0.0000247'],
  ['0.000000000000000004', '0.000000000000000002', '0.000000000000000008'],
])('a token at %s USD is expected between %s and %s', (midUsd, low, high) => {
  expect(expectedUsd({ midUsd }, undefined)).toEqual({ low, high })
})

test('what was expected stays as long as the price lies within', () => {
  const known = { low: '1', high: '3' }
  for (const midUsd of ['1', '2.5', '3']) expect(expectedUsd({ midUsd }, known)).toBe(known)
  expect(expectedUsd({ midUsd: '3.2' }, known)).toEqual({ low: '1.6', high: '6.4' })
})
