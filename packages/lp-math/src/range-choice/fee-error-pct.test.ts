import { expect, test } from 'vitest'
import { feeErrorPct } from './create-range-analyser.ts'

const range = { feeApr: 20, steadyFeeApr: 20 }
const pace = { perDay: 200, ofLast7Days: 200, standardError: 0 }

test.each([
  ['the days scatter', range, { ...pace, standardError: 20 }, 10],
  ['the last week earned less', range, { ...pace, ofLast7Days: 120 }, 40],
  ['the last week earned more', range, { ...pace, ofLast7Days: 280 }, 40],
  ['trade may follow the clock', { ...range, steadyFeeApr: 14 }, pace, 30],
  ['all of these', { ...range, steadyFeeApr: 26 }, { perDay: 200, ofLast7Days: 80, standardError: 40 }, 70],
])('fees are in doubt where %s', (_, yields, seen, pct) => {
  expect(feeErrorPct(yields, seen)).toBeCloseTo(pct, 9)
})

test('of fewer than two days nothing is told, nor of fees of nothing', () => {
  expect(feeErrorPct(range, { ...pace, standardError: null })).toBeNull()
  const none = { perDay: 0, ofLast7Days: 0, standardError: 0 }
  expect(feeErrorPct(range, none)).toBeNull()
  expect(feeErrorPct(range, { ...none, standardError: null })).toBeNull()
  expect(feeErrorPct({ feeApr: 0, steadyFeeApr: 0 }, pace)).toBeNull()
})
