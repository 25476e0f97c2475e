import type { RangeAnalysis } from '@svc/lp-math'
import type { CsvMarket } from './csv-market.ts'

/** One standard error of the expected net yield, in percent a year: of the fees a day and of the volatility, as if independent. */
export function netAprError({ feeApr, sensitivity }: RangeAnalysis, { pace, volatility }: CsvMarket): number {
  const { calmer, wilder } = sensitivity
  const slope = wilder.sigma === calmer.sigma ? 0 : (wilder.netApr - calmer.netApr) / (wilder.sigma - calmer.sigma)
  const ofFees = pace.feesPerDay > 0 ? (feeApr * (pace.standardError ?? pace.feesPerDay)) / pace.feesPerDay : 0
  return Math.hypot(ofFees, slope * volatility.standardError)
}
