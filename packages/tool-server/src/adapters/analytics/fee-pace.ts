import type { PoolBars } from '../../ports.ts'

/**
 * What a pool earned for its liquidity providers a day, in US dollars: over all the bars, over the last 7 days, and how far the mean of
 * the days may be off by chance alone. `null` where no trustworthy price was there. Bars whose fees a source cannot mean, below nothing
 * or no number, are left out: the others stand for them.
 */
export function feePace({ bars, figures }: Pick<PoolBars, 'bars' | 'figures'>): FeePace | null {
  const { feesUsd } = figures
  if (feesUsd === null) return null
  if (feesUsd.length === 0) return { meanUsd: 0, last7dUsd: 0, standardErrorUsd: 0 }
  const barsADay = Math.max(1, Math.round(86_400 / bars.barSeconds))
  const meanUsd = ofDay(feesUsd, barsADay)
  if (meanUsd === null) return null
  const days = Array.from({ length: Math.floor(feesUsd.length / barsADay) }, (_, back) =>
    ofDay(feesUsd.subarray(feesUsd.length - (back + 1) * barsADay, feesUsd.length - back * barsADay), barsADay),
  ).filter((day) => day !== null)
  const variance = days.reduce((total, day) => total + (day - meanUsd) ** 2, 0) / Math.max(1, days.length - 1)
  return {
    meanUsd,
    last7dUsd: ofDay(feesUsd.subarray(-7 * barsADay), barsADay) ?? meanUsd,
    standardErrorUsd: Math.sqrt(variance / Math.max(1, days.length)),
  }
}

export type FeePace = { readonly meanUsd: number; readonly last7dUsd: number; readonly standardErrorUsd: number }

function ofDay(feesUsd: Float64Array, barsADay: number): number | null {
  const known = feesUsd.filter((fees) => fees >= 0 && fees < Number.POSITIVE_INFINITY)
  return known.length === 0 ? null : (known.reduce((total, fees) => total + fees, 0) / known.length) * barsADay
}
