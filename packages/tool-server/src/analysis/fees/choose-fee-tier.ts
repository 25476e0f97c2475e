import { type classifyVolatility, type Interval, intervalOfDraws, studentDeviate } from '@svc/lp-math'
import { percents } from '../figures.ts'
import type { TierScore } from './score-fee-tier.ts'

/**
 * The tier with the highest net yield, and how sure that is: HIGH where its fees lead those of the next by over 25 % in the last 30 and
 * the last 7 days, LVR and doubt taken into account, its pool holds over 100 times the amount and of every tier compared 20 days are known;
 * MODERATE over 10 %; else LOW, and so wherever the lead of its net yield over any other is within what chance in the days of both explains.
 * Below 7 days of data in every tier, and without a volatility, it is the tier that is usual for such volatility, or the nearest there is.
 */
export function chooseFeeTier<Tier extends ScoredTier>(
  tiers: readonly [Tier, ...Tier[]],
  { classification, notionalUsd }: ChoiceFacts,
): Choice<Tier> {
  const known = tiers.filter(({ daysKnown }) => daysKnown >= leastDays)
  const [best, ...rivals] = known.toSorted((a, b) => b.score.netApr - a.score.netApr)
  const [second] = rivals
  if (best === undefined || classification === null) {
    const usual = classification === null ? 3_000 : usualTiers[classification]
    const nearest = tiers.reduce((a, b) => (distance(b, usual) < distance(a, usual) ? b : a))
    const lacking =
      best === undefined
        ? `Under ${leastDays} days of trading are known of every pool; for this volatility`
        : 'The pool that traded most was not traded in twice, so that no volatility is known; without one'
    const reason = `${lacking} ${label(usual)} is usual.`
    return { tier: nearest, confidence: 'LOW', reason, lead: null }
  }
  if (second === undefined) {
    const others =
      tiers.length === 1
        ? 'It is the only tier of the pair that is compared'
        : 'Of no other tier enough trading is known'
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

type LedTier = Pick<ScoredTier, 'score'>

export type ChoiceFacts = {
  readonly classification: ReturnType<typeof classifyVolatility> | null
  readonly notionalUsd: number
}

export type Choice<Tier> = {
  readonly tier: Tier
  readonly confidence: 'HIGH' | 'MODERATE' | 'LOW'
  readonly reason: string
  /** Over the tier that comes next, or over the first of those that it is not distinguished from; `null` where there is nothing to compare with. */
  readonly lead: Lead | null
}

/** In percent a year. */
export type Lead = {
  readonly netApr: number
  /**
   * What chance alone brings to two tiers that pay the same in 19 of 20 cases: the errors of the fees of each, and of the volatility, which
   * is one for both, what it moves the one more than the other, as independent, times Student's t of the days.
   */
  readonly errors: number
  /** Whether the lead is more than these. */
  readonly isClear: boolean
  /** Where it lies over 30 days to come; `null` where nothing forecasts the fees of one of them. */
  readonly ahead: Interval | null
}

/** Of fewer known days nothing is compared. */
export const leastDays = 7
/** In fewer a few good days look like a better tier. */
const leastDaysOfHigh = 20
/** Normal, of both sides. */
const nineteenOf20 = 1.96
/** Where no fees scatter: that of a normal error. */
const freedomOfSure = 1e6
const usualTiers = { STABLE: 100, LOW: 500, MODERATE: 3_000, HIGH: 3_000, EXTREME: 10_000 } as const

/** In factors, not in basis points. */
function distance({ feeTier }: ScoredTier, usual: number): number {
  return Math.abs(Math.log(Math.max(feeTier, 1) / usual))
}

/** How far one tier's net yield is above another's, and whether chance explains it. */
export function leadOver(best: LedTier, second: LedTier): Lead {
  const netApr = best.score.netApr - second.score.netApr
  const [one, other] = [best.score.netAprErrors, second.score.netAprErrors]
  const error = Math.hypot(one.ofFees, other.ofFees, one.ofVolatility - other.ofVolatility)
  const errors = error * studentDeviate(nineteenOf20, freedomOf(best.score, second.score))
  return { netApr, errors, isClear: netApr > errors, ahead: leadAhead(best.score, second.score) }
}

/** Both meet the same prices in each future. */
function leadAhead({ ahead: one }: TierScore, { ahead: other }: TierScore): Interval | null {
  if (one === null || other === null) return null
  return intervalOfDraws(one.net.map((net, future) => net - (other.net[future] ?? 0)))
}

/** Degrees of freedom of a difference of means that scatter unlike each other: Welch 1947, equation 28. */
function freedomOf(...scores: readonly TierScore[]): number {
  const parts = scores.map(({ netAprErrors, daysCounted }) => ({
    square: netAprErrors.ofFees ** 2,
    freedom: Math.max(daysCounted - 1, 1),
  }))
  const all = parts.reduce((sum, { square }) => sum + square, 0)
  const weighed = parts.reduce((sum, { square, freedom }) => sum + square ** 2 / freedom, 0)
  return weighed > 0 ? Math.max(all ** 2 / weighed, 1) : freedomOfSure
}

function wordsOf({ netApr, errors, isClear }: Lead, { feeTier }: ScoredTier): string {
  const lead = `Its net yield is ${percents(netApr, 2, 'yield')} % a year above that of ${label(feeTier)}, `
  return isClear
    ? `${lead}more than the errors of both explain in 19 of 20 cases, ${percents(errors, 2, 'yield')} %.`
    : `${lead}which is within what the errors of both explain in 19 of 20 cases, ${percents(errors, 2, 'yield')} %: the two are not distinguished.`
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
  return `${label(feeTier)}: fees ${percents(score.feeApr, 1, 'yield')} % a year, LVR ${percents(score.lvrApr, 1, 'yield')} %, net ${percents(score.netApr, 1, 'yield')} +/- ${percents(score.netAprError, 1, 'yield')} %.${loss}`
}

function label(feeTier: number): string {
  return `${feeTier / 10_000} %`
}

function percent(share: number): string {
  return `${percents(share * 100, 0, 'lead')} %`
}
