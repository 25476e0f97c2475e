import { expect, test } from 'vitest'
import { showWithError } from './figures.ts'

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
