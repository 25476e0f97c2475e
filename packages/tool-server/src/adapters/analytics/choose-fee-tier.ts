import type { classifyVolatility } from '@svc/lp-math'
import type { TierScore } from './score-fee-tier.ts'

/**
 * The tier with the highest net yield, and how sure that is: HIGH where its fees lead those of the next by over 25 % in the last 30 and
 * the last 7 days, LVR and doubt taken into account, its pool holds over 100 times the amount and of every tier compared 20 days are known;
 * MODERATE over 10 %; else LOW, and so wherever the lead of its net yield over any other is within the errors of both.
 * Below 7 days of data in every tier it is the tier that is usual for such volatility, or the nearest there is.
 */
export function chooseFeeTier<Tier extends ScoredTier>(
  tiers: readonly [Tier, ...Tier[]],
  { classification, notionalUsd }: ChoiceFacts,
): Choice<Tier> {
  const known = tiers.filter(({ daysKnown }) => daysKnown >= leastDays)
  const [best, ...rivals] = known.toSorted((a, b) => b.score.netApr - a.score.netApr)
  const [second] = rivals
  if (best === undefined) {
    const usual = classification === null ? 3_000 : usualTiers[classification]
    const nearest = tiers.reduce((a, b) => (distance(b, usual) < distance(a, usual) ? b : a))
    const reason = `Under ${leastDays} days of trading are known of every pool; for this volatility ${label(usual)} is usual.`
    return { tier: nearest, confidence: 'LOW', reason, lead: null }
  }
  if (second === undefined) {
    const others = tiers.length === 1 ? 'It is the only pool of the pair' : 'Of no other tier enough trading is known'
    const reason = `${others}: nothing to compare with. ${yieldOf(best)}`
    return { tier: best, confidence: 'LOW', reason, lead: null }
  }
  const ofWeek = known
    .filter((tier) => tier !== best)
    .toSorted((a, b) => b.score.netAprOfWeek - a.score.netAprOfWeek)[0]
  const monthLead = ofRivalFees(best.score.netApr - second.score.netApr, second.score.feeApr)
  const weekRival = ofWeek ?? second
  const weekLead = ofRivalFees(best.score.netAprOfWeek - weekRival.score.netAprOfWeek, weekRival.score.feeAprOfWeek)
  const least = Math.min(monthLead, weekLead)
  const doubted = rivals.find((rival) => !leadOver(best, rival).isClear) ?? second
  const lead = leadOver(best, doubted)
  const daysOfAll = Math.min(...known.map(({ daysKnown }) => daysKnown))
  const isLong = daysOfAll >= leastDaysOfHigh
  const isDeep = best.tvlUsd !== null && best.tvlUsd > 100 * notionalUsd
  return {
    tier: best,
    confidence: !lead.isClear ? 'LOW' : least > 0.25 && isDeep && isLong ? 'HIGH' : least > 0.1 ? 'MODERATE' : 'LOW',
    reason:
      `${yieldOf(best)} It leads ${label(second.feeTier)} by ${percent(monthLead)} of the fees there over ${daysOf(best, second)}, ` +
      `and ${label(weekRival.feeTier)} by ${percent(weekLead)} over 7. ${wordsOf(lead, doubted)}` +
      (isLong ? '' : ` Of a tier ${daysOfAll} days are known: HIGH asks for ${leastDaysOfHigh}.`),
    lead,
  }
}

export type ScoredTier = {
  /** Hundredths of a basis point. */
  readonly feeTier: number
  readonly tvlUsd: number | null
  readonly daysKnown: number
  readonly score: TierScore
}

export type ChoiceFacts = {
  readonly classification: ReturnType<typeof classifyVolatility> | null
  readonly notionalUsd: number
}

export type Choice<Tier> = {
  readonly tier: Tier
  readonly confidence: 'HIGH' | 'MODERATE' | 'LOW'
  readonly reason: string
  /** Over the tier that comes next, or over the first of those that it is not told apart from; `null` where there is nothing to compare with. */
  readonly lead: Lead | null
}

/** In percent a year. */
export type Lead = {
  readonly netApr: number
  /** The errors of both together: of the fees of each, and of the volatility, which is one for both, what it moves the one more than the other. */
  readonly errors: number
  /** Whether the lead is more than these. */
  readonly isClear: boolean
}

const leastDays = 7
/** In fewer a few good days look like a better tier. */
const leastDaysOfHigh = 20
const usualTiers = { STABLE: 100, LOW: 500, MODERATE: 3_000, HIGH: 3_000, EXTREME: 10_000 } as const

/** In factors, not in basis points. */
function distance({ feeTier }: ScoredTier, usual: number): number {
  return Math.abs(Math.log(Math.max(feeTier, 1) / usual))
}

function leadOver({ score: best }: ScoredTier, { score: second }: ScoredTier): Lead {
  const netApr = best.netApr - second.netApr
  const [one, other] = [best.netAprErrors, second.netAprErrors]
  const errors = one.ofFees + other.ofFees + Math.abs(one.ofVolatility - other.ofVolatility)
  return { netApr, errors, isClear: netApr > errors }
}

function wordsOf({ netApr, errors, isClear }: Lead, { feeTier }: ScoredTier): string {
  const lead = `Its net yield is ${netApr.toFixed(2)} a year above that of ${label(feeTier)}, `
  return isClear
    ? `${lead}more than the errors of both together, ${errors.toFixed(2)}.`
    : `${lead}which is within the errors of both together, ${errors.toFixed(2)}: the two are not told apart.`
}

function daysOf(best: ScoredTier, second: ScoredTier): string {
  const there = second.daysKnown === best.daysKnown ? '' : `, ${second.daysKnown} there`
  return `${best.daysKnown} known days${there}`
}

function ofRivalFees(netGain: number, rivalFees: number): number {
  return rivalFees > 0 ? netGain / rivalFees : netGain > 0 ? 1 : 0
}

function yieldOf({ feeTier, score }: ScoredTier): string {
  const loss = score.netApr < 0 ? ' Fees of these days did not pay for LVR.' : ''
  return `${label(feeTier)}: fees ${score.feeApr.toFixed(1)} % a year, LVR ${score.lvrApr.toFixed(1)} %, net ${score.netApr.toFixed(1)} +/- ${score.netAprError.toFixed(1)} %.${loss}`
}

function label(feeTier: number): string {
  return `${feeTier / 10_000} %`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
