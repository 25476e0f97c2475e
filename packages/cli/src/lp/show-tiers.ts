import type * as z from 'zod'
import type { tiersForm } from './answer-forms.ts'
import { table } from './table.ts'

/** A comparison of fee tiers for a person, best first. */
export function showTiers({ pair, analysis, recommendation, notes }: z.infer<typeof tiersForm>): string {
  const { annualized, standardError, classification, note } = analysis.pairVolatility
  const best = analysis.volumeDistribution.toSorted((a, b) => b.netApr - a.netApr)
  const rows = best.map((one) => [
    `${one.feeTier / 10_000} %`,
    one.volumePct === null ? '-' : pct(one.volumePct),
    withError(one.marginalFeeApr, one.feeUncertaintyPct && (one.marginalFeeApr * one.feeUncertaintyPct) / 100),
    pct(one.lvrApr),
    pct(one.arbitrageLossApr),
    withError(one.netApr, one.netAprError),
    pct(one.quietDaysPct),
  ])
  const share = (value: number) => (100 * value).toFixed(1)
  const sigma =
    annualized === null ? 'unknown' : `${share(annualized)} ± ${share(standardError ?? 0)} % a year (${classification})`
  return [
    `${pair}, volatility ${sigma}. ${note}`,
    '',
    table(['tier', 'volume', 'fee APR', 'LVR', 'kept by arbitrage', 'net APR', 'quiet days'], rows).trimEnd(),
    '',
    `Best: ${recommendation.feeTier / 10_000} % (confidence ${recommendation.confidence}). ${recommendation.reason}`,
    ...notes.map((one) => `- ${one}`),
    '',
  ].join('\n')
}

function withError(value: number, error: number | null): string {
  return error === null ? pct(value) : `${pct(value)} ± ${error.toFixed(2)}`
}

function pct(value: number): string {
  return `${value.toFixed(2)} %`
}
