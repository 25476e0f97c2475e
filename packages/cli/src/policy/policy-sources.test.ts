import { expect, test } from 'vitest'
import { expectedUsd } from './edit-policy.ts'

test.each([
  ['2.5', '1.25', '5'],
  ['3012.345', '1510', '6020'],
  ['90000', '45000', '180000'],
  ['123456789.5', '61700000', '247000000'],
  ['0.000012345678', '0.00000617', '0.0000247'],
  ['0', '0.000000000000000001', '0.000000000000000001'],
  ['999999999999', '500000000000', '999000000000'],
  ['0.000000000000000004', '0.000000000000000002', '0.000000000000000008'],
])('a token at %s USD is expected between %s and %s', (midUsd, low, high) => {
  expect(expectedUsd({ midUsd, lowUsd: midUsd, highUsd: midUsd }, undefined)).toEqual({ low, high })
})

test('what was expected stays as long as the whole band lies within', () => {
  const known = { low: '1', high: '3' }
  const at = (lowUsd: string, midUsd: string, highUsd: string) => expectedUsd({ lowUsd, midUsd, highUsd }, known)
  for (const usd of ['1', '2.5', '3']) expect(at(usd, usd, usd)).toBe(known)
  expect(at('2.9', '2.95', '3.000000000000000001')).toEqual({ low: '1.48', high: '5.9' })
  expect(at('0.99', '1.1', '1.2')).toEqual({ low: '0.55', high: '2.2' })
})
