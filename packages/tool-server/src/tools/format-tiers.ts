import { classifyVolatility, intervalOf, type LogForecast } from '@svc/lp-math'
import { chooseFeeTier, type ScoredTier } from '../analysis/fees/choose-fee-tier.ts'
import { boundsNamed, figure } from '../analysis/figures.ts'

/**
 * How `recommend_fee_tier` tells of the fee tiers of a pair: which one is recommended, how sure that is, and what each would bring;
 * `own` adds what else is known of a tier.
 */
export function formatTiers<Tier extends ComparedTier, Own extends object>(
  tiers: readonly [Tier, ...Tier[]],
  { volatility, notionalUsd }: AboutTiers,
  own: (tier: Tier) => Own,
) {
  const classification = volatility === null ? null : classifyVolatility(volatility.ewma)
  const { tier, confidence, reason, lead } = chooseFeeTier(tiers, { classification, notionalUsd })
  const volume = tiers.reduce((sum, { weekVolume }) => sum + weekVolume, 0)
  return {
    chosen: tier,
    recommendation: {
      feeTier: tier.feeTier,
      confidence,
      reason,
      leadApr: known(lead?.netApr),
      leadErrorsApr: known(lead?.errors),
      isLeadClear: lead?.isClear ?? null,
      ...boundsNamed('leadApr', lead?.ahead),
    },
    pairVolatility: {
      annualized: known(volatility?.ewma),
      classification,
      note:
        volatility?.note ??
        'No two traded prices of the last 30 days are known: LVR counts as 0 here, and nothing is compared.',
      standardError: known(volatility?.standardError),
      ...boundsNamed('annualized', volatility?.ahead && intervalOf(volatility.ahead)),
    },
    volumeDistribution: tiers.map((one) => ({ ...rowOf(one, volume), ...own(one) })),
    notes: notesAt(notionalUsd, tiers),
  }
}

export type ComparedTier = ScoredTier & {
  /** Over the last 7 days, in one money for all tiers. */
  readonly weekVolume: number
  /** Percent a year; `null` where the value held is not known. */
  readonly feeApy7d: number | null
  readonly feeApy30d: number | null
}

export type AboutTiers = {
  /** Annual, as fractions; `null` without two traded prices. */
  readonly volatility: {
    readonly ewma: number
    readonly standardError: number
    readonly ahead: LogForecast | null
    readonly note: string
  } | null
  /** What every tier is asked for, in US dollars. */
  readonly notionalUsd: number
}

function rowOf({ feeTier, tvlUsd, feeApy7d, feeApy30d, weekVolume, daysKnown, score }: ComparedTier, volume: number) {
  return {
    feeTier,
    volumePct: volume > 0 ? figure((weekVolume / volume) * 100) : null,
    tvlUsd,
    feeApy7d: known(feeApy7d),
    feeApy30d: known(feeApy30d),
    marginalFeeApr: figure(score.feeApr),
    feeUncertaintyPct: known(score.feeUncertaintyPct),
    lvrApr: figure(score.lvrApr),
    arbitrageLossApr: figure(score.arbitrageLossApr),
    netApr: figure(score.netApr),
    netAprError: figure(score.netAprError),
    ...boundsNamed('marginalFeeApr', score.ahead?.feeApr),
    ...boundsNamed('netApr', score.ahead?.netApr),
    quietDaysPct: figure(score.quietDaysPct),
    daysKnown,
  }
}

function known(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : figure(value)
}

function notesAt(notionalUsd: number, tiers: readonly ComparedTier[]): readonly string[] {
  const days = tiers.map(({ daysKnown }) => daysKnown)
  const [fewest, most] = [Math.min(...days), Math.max(...days)]
  const span = fewest === most ? fewest : `${fewest} to ${most}`
  return [
    `marginalFeeApr: ${notionalUsd} USD in a range of two deviations to each side, held 30 days, at the fees of the ${span} days known of the last 30 with outlying days capped. feeUncertaintyPct is one standard error of it in percent of it, as of optimize_lp_range: chance in the days, the last week against them, whether trade follows depth.`,
    'netApr takes off all of LVR, as fees seen hold what arbitrageurs pay; arbitrageLossApr is what they keep. volumePct is of 7 days.',
    'netAprError is one standard error of netApr, of its fees and the volatility. isLeadClear: the lead over every other tier is more than the errors of both explain in 19 of 20 cases, by as few days; leadApr and leadErrorsApr, this bound, are of the next tier or, where it is not clear, of the first in doubt. In these errors the volatility, one for both, counts as far as it moves one more than the other.',
    'Low95 to High95, Low68 to High68: where what 30 days to come bring is to be found in 95 and 68 of 100 cases.',
  ]
}
