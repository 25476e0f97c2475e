import { backtestAnswer, type formatTiers, rangeAnswer } from '@svc/tool-server/analysis'
import * as z from 'zod'

/** Forms of members that a tool tells, each of its type: one that it tells no more, or otherwise, does not compile. */
type FormOf<T> = { readonly [Name in keyof T]?: z.ZodType<T[Name]> }

const place = { pair: z.string(), notes: z.array(z.string()).readonly() }

/** A file has none. */
const pool = z.string().optional()

/** What is shown of an answer of `optimize_lp_range`. */
export const rangeForm = rangeAnswer.extend({ ...place, pool })

const { element: strategy } = backtestAnswer.shape.strategies

/** What is shown of an answer of `backtest_lp_strategy`. */
export const backtestForm = backtestAnswer
  .pick({ fee: true, period: true, priceChange: true, hodlBenchmark: true, winner: true })
  .extend({
    ...place,
    pool,
    strategies: z
      .array(
        strategy.pick({
          name: true,
          feesEarnedUsd: true,
          feeUncertaintyPct: true,
          ilCostUsd: true,
          lvrUsd: true,
          rebalanceCount: true,
          gasCostUsd: true,
          swapCostUsd: true,
          endValueUsd: true,
          netReturnPct: true,
          vsHodlPct: true,
          inRangePct: true,
          sharpeRatio: true,
          maxDrawdownPct: true,
        }),
      )
      .readonly(),
  })

type Tiers = ReturnType<typeof formatTiers>

/** What is shown of an answer of `recommend_fee_tier`. */
export const tiersForm = z.object({
  ...place,
  recommendation: z.object({
    feeTier: z.int(),
    confidence: z.enum(['HIGH', 'MODERATE', 'LOW']),
    reason: z.string(),
    leadAprLow95: z.number().nullable(),
    leadAprHigh95: z.number().nullable(),
  } satisfies FormOf<Tiers['recommendation']>),
  analysis: z.object({
    pairVolatility: z.object({
      annualized: z.number().nullable(),
      classification: z.enum(['STABLE', 'LOW', 'MODERATE', 'HIGH', 'EXTREME']).nullable(),
      note: z.string(),
      standardError: z.number().nullable(),
    } satisfies FormOf<Tiers['pairVolatility']>),
    volumeDistribution: z
      .array(
        z.object({
          feeTier: z.int(),
          volumePct: z.number().nullable(),
          marginalFeeApr: z.number(),
          feeUncertaintyPct: z.number().nullable(),
          lvrApr: z.number(),
          arbitrageLossApr: z.number(),
          netApr: z.number(),
          netAprError: z.number(),
          netAprLow95: z.number().nullable(),
          netAprHigh95: z.number().nullable(),
          quietDaysPct: z.number(),
        } satisfies FormOf<Tiers['volumeDistribution'][number]>),
      )
      .readonly(),
  }),
})
