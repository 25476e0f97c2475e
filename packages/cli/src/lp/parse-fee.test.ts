import { expect, test } from 'vitest'
import { parseFee } from '../parse-words-and-flags.ts'

test.each([
  ['500', 500],
  ['0.05%', 500],
  ['0.3 %', 3000],
  ['1%', 10_000],
  ['0.0001%', 1],
  ['0.2935%', 2935],
])('a fee of %s is %i millionths', (text, pips) => {
  expect(parseFee(text)).toBe(pips)
})

test.each(['', '0', '0.05', '0%', '1000000', '100%', '0.00001%', '-1%', '5e2', '1 000'])('"%s" is no fee', (text) => {
  expect(() => parseFee(text)).toThrow('--fee takes millionths from 1 to 999999, or percent such as 0.05%')
})
