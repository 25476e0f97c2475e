import { expect, test } from 'vitest'
import { netAprError, netAprErrors } from './create-range-analyser.ts'

const sensitivity = { calmer: { sigma: 0.4, netApr: 10 }, wilder: { sigma: 0.6, netApr: 4 } }
const range = { feeApr: 12, steadyFeeApr: 12, sensitivity }
const pace = { perDay: 200, ofLast7Days: 200, standardError: 20 }

test('a net yield is off by a part of its fees and by what the volatility moves', () => {
  expect(netAprErrors(range, { pace, sigmaError: 0.1 })).toEqual({
    ofFees: expect.closeTo(1.2, 12),
    ofVolatility: expect.closeTo(-3, 12),
  })
})

test('fees of which nothing is known may be all wrong', () => {
  const doubts = { pace: { ...pace, standardError: null }, sigmaError: 0 }
  expect(netAprError(range, doubts)).toBeCloseTo(12, 12)
})

test('fees of nothing are off by nothing', () => {
  const doubts = { pace: { perDay: 0, ofLast7Days: 0, standardError: 0 }, sigmaError: 0.1 }
  expect(netAprError({ ...range, feeApr: 0, steadyFeeApr: 0 }, doubts)).toBeCloseTo(3, 12)
})
