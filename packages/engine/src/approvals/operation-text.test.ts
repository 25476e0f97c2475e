import { expect, it } from 'vitest'
import { dollars, groupDigits, nothingArrivesText, timeLeft, worthText } from './operation-text.ts'

it.each([
  ['0', '0.00'],
  ['1200.281737', '1,200.29'],
  ['1200.28', '1,200.28'],
  ['0.000001', '0.01'],
  ['999.999', '1,000.00'],
  ['1234567.5', '1,234,567.50'],
])('shows %s USD as %s, never as less', (decimal, shown) => {
  expect(dollars(decimal)).toBe(shown)
})

it.each([
  [2984.811314, '2,984.81 USD'],
  [0.009, '0.00 USD'],
  [3000, '3,000.00 USD'],
])('shows what arrives at least, %d USD, as %s, never as more', (usd, shown) => {
  expect(worthText(usd, 'down')).toBe(shown)
})

it.each([
  ['1234567.000001', '1,234,567.000001'],
  ['-1234.5', '-1,234.5'],
  ['12', '12'],
])('groups the digits of %s', (decimal, shown) => {
  expect(groupDigits(decimal)).toBe(shown)
})

it.each([
  [-1, 'over'],
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min 0 s'],
  [3_600_000, '1 h 0 min'],
  [3 * 86_400_000, '3 days 0 h'],
])('says how long %i ms are', (ms, shown) => {
  expect(timeLeft(ms, 0)).toBe(shown)
})

it.each([
  [['-1.5'], 1, 'no token: it becomes the position'],
  [['-1.5'], 0, 'nothing'],
  [[], 0, 'nothing'],
  [['0'], 0, 'nothing'],
  [['-0.4', '1199.9'], 0, 'nothing guaranteed'],
  [['-0.4', '0.001'], 1, 'nothing guaranteed'],
])('says of movements of %j and %i deposits, where nothing is bound to arrive: %s', (moved, deposited, text) => {
  const simulated = moved.map((amount) => ({ amount }))
  expect(nothingArrivesText({ simulated, deposits: Array.from({ length: deposited }) })).toBe(text)
})
