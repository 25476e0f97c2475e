import { expect, it } from 'vitest'
import { shortAmount } from './liquidity/planning/plan-payment.ts'

it.each([
  ['0.399999999999999887', '0.4', '0.399999', '0.4'],
  ['1110.862446', '1110.87', '1110.86', '1110.86'],
  ['0.000060038791128923', '0.0000600388', '0.0000600387', '0.0000600388'],
  ['1234567.891', '1234568', '1234567', '1234568'],
  ['999999.5', '1000000', '999999', '1000000'],
  ['9.999999', '10', '9.99999', '10'],
  ['0.5', '0.5', '0.5', '0.5'],
  ['1000000000', '1000000000', '1000000000', '1000000000'],
  ['1.000000000000000001', '1.00001', '1', '1'],
  ['0.0', '0.0', '0.0', '0.0'],
])('shortens %s to %s at most, %s at least, about %s', (decimal, atMost, atLeast, about) => {
  expect(shortAmount(decimal, 'up')).toBe(atMost)
  expect(shortAmount(decimal, 'down')).toBe(atLeast)
  expect(shortAmount(decimal, 'nearest')).toBe(about)
})

it.each(['', 'unknown', '1e30', '1.2.3'])('leaves %j as it is, which is no decimal', (text) => {
  expect(shortAmount(text, 'up')).toBe(text)
})

it('keeps the sign of what left', () => {
  expect(shortAmount('-4498.2000004', 'nearest')).toBe('-4498.2')
})
