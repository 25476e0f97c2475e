import type { EpisodeVolatility } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Token } from '@svc/amm'
import { printable } from '@svc/runtime'
import * as z from 'zod'
import { documented } from '../figures.ts'
import type { MemoryRecord, ReadContext } from '../../tool-context.ts'

/**
 * What memory holds of a pair: figures of own episodes that ended, from chain facts, each with its sample size and a 95 % interval; how
 * feedback was rated, which is counted and weighs nothing; and the insights that stand, surest first. `null` where nothing is read back, and where the
 * store is silent: no answer fails for want of memory.
 */
export async function recallPair(
  { memory }: Pick<ReadContext, 'memory'>,
  chain: Chain,
  tokens: readonly [Token, Token],
): Promise<RememberedPair | null> {
  if (memory === null) return null
  let found: RememberedPair | null = null
  await memory.attempt(async () => {
    const of = { chainId: chain.id, pair: pairKey(chain, tokens) }
    const [episodes, insights, feedback] = await Promise.all([
      memory.recall({ ...of, kind: 'episode', limit: mostRecalled }),
      memory.recall({ ...of, kind: 'insight', limit: mostRecalled }),
      memory.recall({ ...of, kind: 'feedback', limit: mostRecalled }),
    ])
    found = rememberedOf({ episodes, insights, feedback })
  })
  return found
}

export type RememberedPair = {
  readonly insights: z.output<typeof pairInsights>
  /** The volatilities that were met, each with the confidence of its episode. */
  readonly volatilities: readonly EpisodeVolatility[]
}

/** A pair under one name, whatever the order of its tokens; the native currency and its wrapped form are one. */
export function pairKey({ wrappedNative }: Chain, tokens: readonly [Token, Token]): string {
  const addresses = tokens.map(({ isNative, address }) => (isNative ? wrappedNative.address : address).toLowerCase())
  return addresses.toSorted().join('-')
}

/** The mean of a figure and its 95 % interval (Student's t); of one sample the interval is not known. */
const estimate = z
  .object({ samples: z.int(), mean: z.number(), low: z.number().nullable(), high: z.number().nullable() })
  .nullable()

const pairInsights = z.object({
  episodes: z.int(),
  ended: z.int(),
  /** Against holding, in percent of it: negative is a loss. */
  ilPct: estimate,
  /** What fees made up of the loss: above 1 they were more. */
  feesToIl: estimate,
  timeInRangePct: estimate,
  feeAprPct: estimate,
  /** What was earned less what was predicted, in percentage points a year. */
  feeAprLessPredictedPct: estimate,
  heldDays: estimate,
  feedback: z.object({ good: z.int(), neutral: z.int(), bad: z.int() }),
  said: z.array(z.object({ insightId: z.string(), confidence: z.number(), text: z.string() })),
})

/** A member of answers, `null` where nothing is read back; docs/analytics.md names what is in it. */
export const insightsResult = documented(pairInsights.nullable())

/** An entry, and how it ended, as they are kept: all of it from receipts and reads, nothing that a caller says. */
export const episodeContent = z.object({
  version: z.string(),
  pool: z.string(),
  fee: z.number(),
  positionId: z.string(),
  entry: z
    .object({
      txHash: z.string(),
      /** Unix seconds, like `exitedAt`. */
      openedAt: z.number(),
      tickLower: z.number().nullable(),
      tickUpper: z.number().nullable(),
      /** Smallest units, in the pool's order. */
      amount0: z.string(),
      amount1: z.string(),
      liquidity: z.string(),
      depositedUsd: z.number().nullable(),
      poolTick: z.number(),
      poolLiquidity: z.string(),
      predictedFeeApyPct: z.number().nullable(),
    })
    .nullable(),
  outcome: z
    .object({
      txHash: z.string(),
      exitedAt: z.number(),
      percentage: z.number(),
      isClosed: z.boolean(),
      isInRange: z.boolean(),
      heldDays: z.number(),
      hodlUsd: z.number().nullable(),
      feesUsd: z.number().nullable(),
      ilUsd: z.number().nullable(),
      vsHodlPct: z.number().nullable(),
      timeInRangePct: z.number().nullable(),
      feeAprPct: z.number().nullable(),
      /** Annual, a fraction, of the closes of its hours, and of how many returns. */
      sigma: z.number().nullable(),
      returns: z.number(),
    })
    .nullable(),
})

export type EpisodeContent = z.output<typeof episodeContent>

export const insightContent = z.object({ text: z.string(), isRetired: z.boolean() })

export const feedbackRatings = ['good', 'neutral', 'bad'] as const

const feedbackContent = z.object({ rating: z.enum(feedbackRatings), text: z.string() })

export type FeedbackContent = z.output<typeof feedbackContent>

/** Content that does not have its form, as of another version, counts as nothing. */
export function readContent<Schema extends z.ZodType>(schema: Schema, { content }: MemoryRecord): z.output<Schema>[] {
  const parsed = schema.safeParse(JSON.parse(content))
  return parsed.success ? [parsed.data] : []
}

/** Text that somebody wrote, as it may stand in a data member: escaped, so that nothing in it passes for more than it is. */
export function storedText(text: string): string {
  return printable(text, mostStoredText)
}

export const mostStoredText = 500

type Recalled = Readonly<Record<'episodes' | 'insights' | 'feedback', readonly MemoryRecord[]>>

function rememberedOf({ episodes, insights, feedback }: Recalled): RememberedPair {
  const known = episodes.flatMap((record) => {
    const [content] = readContent(episodeContent, record)
    return content === undefined
      ? []
      : [{ entry: content.entry, outcome: content.outcome, confidence: record.confidence }]
  })
  const ended = known.flatMap(({ outcome, entry }) => (outcome === null ? [] : [{ outcome, entry }]))
  const of = (figure: (one: (typeof ended)[number]) => number | null) => estimateOf(ended.map(figure))
  const ratings = feedback.flatMap((record) => readContent(feedbackContent, record).map(({ rating }) => rating))
  const counted = (wanted: (typeof feedbackRatings)[number]) => ratings.filter((rating) => rating === wanted).length
  const standing = insights.flatMap((record) =>
    readContent(insightContent, record).flatMap(({ text, isRetired }) =>
      isRetired ? [] : [{ insightId: record.id, confidence: record.confidence, text: storedText(text) }],
    ),
  )
  return {
    insights: {
      episodes: known.length,
      ended: ended.length,
      ilPct: of(({ outcome: { ilUsd, hodlUsd } }) => ratio(ilUsd, hodlUsd, 100)),
      feesToIl: of(({ outcome: { feesUsd, ilUsd } }) =>
        ilUsd !== null && ilUsd < 0 ? ratio(feesUsd, -ilUsd, 1) : null,
      ),
      timeInRangePct: of(({ outcome }) => outcome.timeInRangePct),
      feeAprPct: of(({ outcome }) => outcome.feeAprPct),
      feeAprLessPredictedPct: of(({ outcome: { feeAprPct }, entry }) => less(feeAprPct, entry?.predictedFeeApyPct)),
      heldDays: of(({ outcome }) => outcome.heldDays),
      feedback: { good: counted('good'), neutral: counted('neutral'), bad: counted('bad') },
      said: standing.toSorted((one, other) => other.confidence - one.confidence).slice(0, mostSaid),
    },
    volatilities: known.flatMap(({ outcome, confidence }) =>
      outcome === null || outcome.sigma === null || outcome.returns < 1
        ? []
        : [{ sigma: outcome.sigma, returns: outcome.returns, confidence }],
    ),
  }
}

function ratio(part: number | null, whole: number | null, times: number): number | null {
  return part === null || whole === null || whole <= 0 ? null : (part / whole) * times
}

function less(one: number | null, other: number | null | undefined): number | null {
  return one === null || other == null ? null : one - other
}

/** Six digits, as figures of answers have. */
export function estimateOf(values: readonly (number | null)[]): z.output<typeof estimate> {
  const known = values.filter((value) => value !== null)
  const samples = known.length
  if (samples === 0) return null
  const mean = known.reduce((sum, value) => sum + value, 0) / samples
  if (samples === 1) return { samples, mean, low: null, high: null }
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (samples - 1)
  const half = studentT(samples - 1) * Math.sqrt(variance / samples)
  return { samples, mean, low: mean - half, high: mean + half }
}

/** The 97.5 % point of Student's t: tables up to five degrees, then the expansion of Abramowitz and Stegun, 26.7.5, good to a thousandth. */
function studentT(degrees: number): number {
  const z = 1.959964
  const tabled = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706][degrees - 1]
  if (tabled !== undefined) return tabled
  const first = (z ** 3 + z) / 4
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384
  return z + first / degrees + second / degrees ** 2 + third / degrees ** 3
}

const mostRecalled = 500
const mostSaid = 3
