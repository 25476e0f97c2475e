import { table } from './table.ts'
import type * as z from 'zod'
import type { tiersForm } from './answer-forms.ts'

/** A comparison of fee tiers for a person, best first. */
export function showTiers({ pair, analysis, recommendation, notes }: ShownTiers): string {
  const { annualized, classification, note } = analysis.pairVolatility
  const best = analysis.volumeDistribution.toSorted((a, b) => b.netApr - a.netApr)
  const rows = best.map((one) => [
    `${one.feeTier / 10_000} %`,
    one.volumePct === null ? '-' : pct(one.volumePct),
    withError(one.marginalFeeApr, one.standardError),
    pct(one.lvrApr),
    pct(one.arbitrageLossApr),
    withError(one.netApr, one.netAprError ?? null),
    pct(one.quietDaysPct),
  ])
  const sigma = annualized === null ? 'unknown' : `${(100 * annualized).toFixed(1)} % a year (${classification})`
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

/** What both a file and a pool tell; the error of the net yield is told of files alone. */
export type ShownTiers = Pick<z.infer<typeof tiersForm>, 'pair' | 'recommendation' | 'notes'> & {
  readonly analysis: Omit<z.infer<typeof tiersForm>['analysis'], 'volumeDistribution'> & {
    readonly volumeDistribution: readonly (Tier & { readonly netAprError?: number })[]
  }
}

type Tier = z.infer<typeof tiersForm>['analysis']['volumeDistribution'][number]

function withError(value: number, error: number | null): string {
  return error === null ? pct(value) : `${pct(value)} ± ${error.toFixed(2)}`
}

function pct(value: number): string {
  return `${value.toFixed(2)} %`
}
