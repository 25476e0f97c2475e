import { expect, test } from 'vitest'
import { rangeDoubts } from './range-doubts.ts'

const volatility = { sigma: 0.8, standardError: 0.03, source: 'historical', lookbackDays: 30 } as const

test.each([
  ['the days scatter', { meanUsd: 200, last7dUsd: 200, standardErrorUsd: 20 }, 0.1],
  ['the last week earned less', { meanUsd: 200, last7dUsd: 120, standardErrorUsd: 0 }, 0.4],
  ['the last week earned more', { meanUsd: 200, last7dUsd: 280, standardErrorUsd: 0 }, 0.4],
  ['both', { meanUsd: 200, last7dUsd: 140, standardErrorUsd: 80 }, 0.5],
  ['nothing was earned', { meanUsd: 0, last7dUsd: 0, standardErrorUsd: 0 }, 0],
])('fees are in doubt where %s', (_, pace, feesError) => {
  const doubts = rangeDoubts({ pace, volatility })
  expect(doubts.feesError).toBeCloseTo(feesError, 12)
  expect(doubts.sigmaError).toBe(0.03)
})
