import { expect, test } from 'vitest'
import { columnOf } from './figures.ts'

test('figures with errors stand to the second digit of the largest error, all of them', () => {
  const column = columnOf([
    { value: -15.62, error: 2.81 },
    { value: -1.4613, error: 0.448 },
    { value: -25.93, error: 9.02 },
    { value: 0.8302 },
  ])
  expect([-15.62, -1.4613, -25.93].map(column.value)).toEqual(['-15.6', '-1.5', '-25.9'])
  expect([2.81, 0.448, 9.02, 0.0004].map(column.error)).toEqual(['2.8', '0.4', '9.0', '<0.1'])
  expect(column.change(0.8302)).toBe('+0.8')
})

test('others stand to the fourth digit of the largest, whole ones always whole', () => {
  const places = (...values: (number | null)[]) => columnOf(values.map((value) => ({ value })))
  expect([751.66, 74.2, 8.873, 0].map(places(751.66, 74.2, 8.873, null).value)).toEqual(['751.7', '74.2', '8.9', '0.0'])
  expect([12_345.6, 9].map(places(12_345.6).value)).toEqual(['12,346', '9'])
  expect([0.00037037, 0.0003].map(places(0.00037037).value)).toEqual(['0.0003704', '0.0003000'])
  expect([2, 0].map(places(2, 0, null).value), 'counts').toEqual(['2', '0'])
  expect([0, 0].map(places(0).value)).toEqual(['0', '0'])
  expect(places(3e-13).value(3e-13)).toBe('3.00e-13')
})

test('an error too large for decimals rounds nothing whole away', () => {
  const column = columnOf([{ value: 560, error: 110 }])
  expect([column.value(17.114), column.error(0.0019)]).toEqual(['17', '<1'])
})
