import { expect, test } from 'vitest'
import { paceError } from './fee-model.ts'

test.each([
  [{ perDay: 200, ofLast7Days: 200, standardError: 20 }, 0.1],
  [{ perDay: 200, ofLast7Days: 200, standardError: null }, 1],
  [{ perDay: 0, ofLast7Days: 0, standardError: 0 }, 1],
])('the error of a pace of %o is %f of it', (pace, error) => {
  expect(paceError(pace)).toBeCloseTo(error, 12)
})
