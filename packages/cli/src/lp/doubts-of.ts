import type { CsvMarket } from './csv-market.ts'

/** How far the fees and the volatility of a file may be off, by the chance of its days. */
export function doubtsOf({ pace, volatility }: CsvMarket) {
  const { feesPerDay, standardError } = pace
  const pct = standardError === null || feesPerDay === 0 ? null : (100 * standardError) / feesPerDay
  return { feeUncertaintyPct: () => pct, sigmaError: volatility.standardError }
}
