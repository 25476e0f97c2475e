import { expect, test } from 'vitest'
import { figure, isMissed } from '../bench/parts/figure.mjs'

const row = { name: 'a ratio', unit: 'x', reference: 'the other', bar: 2 }

test('a bar is missed by any excess, and with an alarm only three times over, from either side', () => {
  const areMissed = (values: readonly number[], times: number, atMost = true) =>
    values.map((value) => isMissed(figure({ ...row, value, atMost }), times))
  expect(areMissed([2, 5, 7], 1)).toEqual([false, true, true])
  expect(areMissed([2, 5, 7], 3)).toEqual([false, false, true])
  expect(areMissed([0.7, 0.5], 3, false)).toEqual([false, true])
})

test('what no machine changes has no slack, and what is no number is lost', () => {
  expect(isMissed(figure({ ...row, value: 2.1, exact: true }), 3)).toBe(true)
  expect(isMissed(figure({ ...row, value: Number.NaN }), 3)).toBe(true)
})
