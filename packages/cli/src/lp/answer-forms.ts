import * as z from 'zod'

const bounds = { priceLower: z.number(), priceUpper: z.number().or(z.literal('Infinity')) }

const yields = {
  expectedFeeApr: z.number(),
  expectedIlPct: z.number(),
  expectedNetApr: z.number(),
  inRangeProbability: z.number(),
  expectedNetAprError: z.number(),
}

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
    source: z.string(),
    annualized: z.number(),
    standardError: z.number(),
    lookback: z.string(),
  }),
  optimalRange: z.object({ ...bounds, tickLower: z.int(), tickUpper: z.int() }),
  projections: z.object({
    ...yields,
    terminalInRangeProbability: z.number(),
    stayInRangeProbability: z.number(),
    lvrApr: z.number(),
    arbitrageLossApr: z.number(),
  }),
  candidateRanges: z.array(z.object({ label: z.string(), ...bounds, ...yields })).readonly(),
  sensitivity: z
    .array(z.object({ annualized: z.number(), expectedFeeApr: z.number(), expectedNetApr: z.number() }))
    .readonly(),
  simulation: z.object({
    seed: z.int(),
    paths: z.int(),
    maxStandardErrorsOff: z.number(),
    estimates: z.object({ ilPctPercentiles: percentiles, ilPctPercentileErrors: percentiles }),
  }),
})

/** What is shown of an answer of `backtest_lp_strategy`. */
export const backtestForm = z.object({
  ...place,
  pool,
  fee: z.int(),
  period: z.object({ start: z.string(), end: z.string(), days: z.number() }),
  priceChange: z.object({ startPrice: z.number(), endPrice: z.number(), changePct: z.number() }),
  hodlBenchmark: z.object({ startValueUsd: z.number(), endValueUsd: z.number(), returnPct: z.number() }),
  strategies: z
    .array(
      z.object({
        name: z.string(),
        feesEarnedUsd: z.number(),
        feeUncertaintyPct: z.number(),
        ilCostUsd: z.number(),
        lvrUsd: z.number(),
        rebalanceCount: z.int(),
        gasCostUsd: z.number().nullable(),
        swapCostUsd: z.number(),
        endValueUsd: z.number(),
        netReturnPct: z.number(),
        vsHodlPct: z.number(),
        inRangePct: z.number(),
        sharpeRatio: z.number().nullable(),
        maxDrawdownPct: z.number(),
      }),
    )
    .readonly(),
  winner: z.object({ strategy: z.string(), reason: z.string(), caveat: z.string() }),
})

/** What is shown of an answer of `recommend_fee_tier`. */
export const tiersForm = z.object({
  ...place,
  recommendation: z.object({ feeTier: z.int(), confidence: z.string(), reason: z.string() }),
  analysis: z.object({
    pairVolatility: z.object({
      annualized: z.number().nullable(),
      classification: z.string().nullable(),
      note: z.string(),
      standardError: z.number().nullable(),
    }),
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
        }),
      )
      .readonly(),
  }),
})
