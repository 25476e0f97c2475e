import { table } from './table.ts'
import type { TierReport } from './compare-tiers.ts'

/** A comparison of fee tiers for a person. */
export function showTiers({ pair, analysis, tiers, recommendation, notes }: TierReport): string {
  const { annualized, classification, note } = analysis.pairVolatility
  const rows = tiers.map((one) => {
    const volume = analysis.volumeDistribution.find(({ feeTier }) => feeTier === one.feeTier)?.volumePct ?? 0
    return [
      `${one.feeTier / 10_000} %`,
      pct(volume),
      `${pct(one.feeApr)}${one.feeAprError === null ? '' : ` ± ${one.feeAprError.toFixed(2)}`}`,
      pct(one.lvrApr),
      pct(one.arbitrageLossApr),
      `${pct(one.netApr)} ± ${one.netAprError.toFixed(2)}`,
      pct(one.thinDaysPct),
    ]
  })
  return [
    `${pair}, volatility ${(100 * annualized).toFixed(1)} % a year (${classification}). ${note}`,
    '',
    table(['tier', 'volume', 'fee APR', 'LVR', 'kept by arbitrage', 'net APR', 'thin days'], rows).trimEnd(),
    '',
    `Best: ${recommendation.feeTier / 10_000} % (confidence ${recommendation.confidence}). ${recommendation.reason}`,
    ...notes.map((one) => `- ${one}`),
    '',
  ].join('\n')
}

function pct(value: number): string {
  return `${value.toFixed(2)} %`
}
