import type { RangeDoubts } from './net-apr-error.ts'
import type { ReadRangeMarket } from './read-range-market.ts'

/** How far what a range is chosen by may be off: fees by chance in the days seen and by the last week against them, and volatility. */
export function rangeDoubts({ pace, volatility }: Pick<ReadRangeMarket, 'pace' | 'volatility'>): RangeDoubts {
  const { meanUsd, standardErrorUsd, last7dUsd } = pace
  const feesError = meanUsd > 0 ? Math.hypot(standardErrorUsd / meanUsd, (last7dUsd - meanUsd) / meanUsd) : 0
  return { feesError, sigmaError: volatility.standardError }
}
