import type { PoolBars } from '../../ports.ts'

/**
 * What a pool earned for its liquidity providers a day, in US dollars: over all the bars, over the last 7 days, and how far the mean of
 * the days may be off by chance alone. `null` where no trustworthy price was there. What a source tells below nothing, or nothing at
 * all, counts as nothing.
 */
export function feePace({ bars, figures }: Pick<PoolBars, 'bars' | 'figures'>): FeePace | null {
  const { feesUsd } = figures
  if (feesUsd === null) return null
  if (feesUsd.length === 0) return { meanUsd: 0, last7dUsd: 0, standardErrorUsd: 0 }
  const barsADay = Math.max(1, Math.round(86_400 / bars.barSeconds))
  const clean = feesUsd.map((fees) => (fees > 0 && fees < Number.POSITIVE_INFINITY ? fees : 0))
  const days = Array.from({ length: Math.floor(clean.length / barsADay) }, (_, back) =>
    sum(clean.subarray(clean.length - (back + 1) * barsADay, clean.length - back * barsADay)),
  )
  const meanUsd = (sum(clean) / clean.length) * barsADay
  const week = clean.subarray(-7 * barsADay)
  const variance = days.reduce((total, day) => total + (day - meanUsd) ** 2, 0) / Math.max(1, days.length - 1)
  return {
    meanUsd,
    last7dUsd: (sum(week) / week.length) * barsADay,
    standardErrorUsd: Math.sqrt(variance / Math.max(1, days.length)),
  }
}

export type FeePace = { readonly meanUsd: number; readonly last7dUsd: number; readonly standardErrorUsd: number }

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
