import { expect, test } from 'vitest'
import { columnOf, notesForPeople, showWithError } from './figures.ts'

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

test.each([
  [-16.351, 2.74, '-16.4', '2.7'],
  [-25.847, 8.96, '-25.8', '9.0'],
  [9.8, 17.3, '10', '17'],
  [562.8, 113, '560', '110'],
  [1_234_567, 9_960, '1,235,000', '10,000'],
  [0.80088, 0.0006054, '0.80088', '0.00061'],
  [0.996, 0.0996, '1.00', '0.10'],
  [-0.001, 0.2, '0.00', '0.20'],
  [0, 0, '0', '0'],
  [17.1134, 0, '17.11', '0'],
  [17.1134, 1e-9, '17.11', '1.00e-9'],
  [1.5e13, 2.5e12, '1.50e+13', '2.50e+12'],
])('%d, by %d unsure, stands to the second digit of that', (value, off, shown, error) => {
  expect(showWithError(value, off)).toMatchObject({ value: shown, error })
})

test('a change has its sign, where anything of it is left', () => {
  expect([9.8, -9.8, 0.004].map((value) => showWithError(value, 0.25).change)).toEqual(['+9.80', '-9.80', '0.00'])
})

test('notes that explain members of an answer are not shown to people, whatever else is', () => {
  const notes = [
    'Dollars: USDC at its dollar peg.',
    'hodlBenchmark holds half.',
    'wstETH has no price.',
    'netApr takes off LVR.',
  ]
  expect(notesForPeople(notes)).toEqual([notes[0], notes[2]])
})
