import { backtestAnswer, type formatChoice, type formatTiers } from '@svc/tool-server/analysis'
import * as z from 'zod'

/** Forms of members that a tool tells, each of its type: one that it tells no more, or otherwise, does not compile. */
type FormOf<T> = { readonly [Name in keyof T]?: z.ZodType<T[Name]> }

type Choice = ReturnType<typeof formatChoice>
type Candidate = Choice['candidateRanges'][number]

const bounds = {
  priceLower: z.number(),
  priceUpper: z.number().or(z.literal('Infinity')),
} satisfies FormOf<Choice['optimalRange']>

const yields = {
  expectedFeeApr: z.number(),
  expectedIlPct: z.number(),
  expectedNetApr: z.number(),
  inRangeProbability: z.number(),
  lvrApr: z.number(),
  expectedNetAprError: z.number(),
  inRangeProbabilityError: z.number(),
  expectedIlPctError: z.number(),
} satisfies FormOf<Pick<Candidate, keyof Candidate & keyof Choice['projections']>>

const place = { pair: z.string(), notes: z.array(z.string()).readonly() }

/** A file has none. */
const pool = z.string().optional()

const percentiles = z.object({ p5: z.number(), p95: z.number() })

/** What is shown of an answer of `optimize_lp_range`. */
export const rangeForm = z.object({
  ...place,
  pool,
  fee: z.int(),
  currentPrice: z.number(),
  volatility: z.object({
    source: z.enum(['historical', 'implied']),
    annualized: z.number(),
    standardError: z.number(),
    lookback: z.string(),
  } satisfies FormOf<Choice['volatility']>),
  optimalRange: z.object({ ...bounds, tickLower: z.int(), tickUpper: z.int() } satisfies FormOf<
    Choice['optimalRange']
  >),
  projections: z.object({
    ...yields,
    terminalInRangeProbability: z.number(),
    stayInRangeProbability: z.number(),
    arbitrageLossApr: z.number(),
  } satisfies FormOf<Choice['projections']>),
  candidateRanges: z
    .array(z.object({ label: z.string(), ...bounds, ...yields } satisfies FormOf<Candidate>))
    .readonly(),
  sensitivity: z
    .array(
      z.object({ annualized: z.number(), expectedFeeApr: z.number(), expectedNetApr: z.number() } satisfies FormOf<
        Choice['sensitivity'][number]
      >),
    )
    .readonly(),
  simulation: z.object({
    seed: z.int(),
    paths: z.int(),
    maxStandardErrorsOff: z.number(),
    estimates: z.object({ ilPctPercentiles: percentiles, ilPctPercentileErrors: percentiles }),
  }),
})

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
          quietDaysPct: z.number(),
        } satisfies FormOf<Tiers['volumeDistribution'][number]>),
      )
      .readonly(),
  }),
})
