import type { RangeDoubts } from '@svc/tool-server/analytics'
import type { CsvMarket } from './csv-market.ts'

/** How far the fees and the volatility of a file may be off, by the chance of its days. */
export function doubtsOf({ pace, volatility }: CsvMarket): RangeDoubts {
  const { feesPerDay, standardError } = pace
  const feesError = standardError === null || feesPerDay === 0 ? null : standardError / feesPerDay
  return { feesError, sigmaError: volatility.standardError }
}
