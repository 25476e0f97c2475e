import * as z from 'zod'
import { documented } from '../figures.ts'

/** Null where the range has no such end. */
const bounds = { priceLower: z.number().nullable(), priceUpper: z.number().nullable() }

const yields = {
  expectedFeeApr: z.number(),
  expectedIlPct: z.number(),
  expectedNetApr: z.number(),
  inRangeProbability: z.number(),
  lvrApr: documented(z.number()),
}

/** Where it is to be found in 68 and in 95 of 100 cases; null where nothing forecasts it. */
const boundOf = documented(z.number().nullable())

const intervals = {
  expectedFeeAprLow95: boundOf,
  expectedFeeAprLow68: boundOf,
  expectedFeeAprHigh68: boundOf,
  expectedFeeAprHigh95: boundOf,
  expectedNetAprLow95: boundOf,
  expectedNetAprLow68: boundOf,
  expectedNetAprHigh68: boundOf,
  expectedNetAprHigh95: boundOf,
}

/** Standard errors: of the net by the fees and by the volatility, of the others by the volatility. */
const errors = {
  expectedNetAprError: documented(z.number()),
  inRangeProbabilityError: documented(z.number()),
  expectedIlPctError: documented(z.number()),
}

const percentiles = z.object({ p5: z.number(), p50: z.number(), p95: z.number() })

/**
 * What a choice of range is answered with, by `optimize_lp_range` and by `svc lp optimize`: prices in token1 per token0 of the caller's order,
 * `annualized` and probabilities as fractions, `Apr` and `Pct` in percent.
 */
export const rangeAnswer = z.object({
  pair: z.string(),
  fee: z.int(),
  currentPrice: z.number(),
  volatility: z.object({
    source: z.enum(['historical', 'implied']),
    annualized: z.number(),
    standardError: documented(z.number()),
    annualizedLow95: boundOf,
    annualizedLow68: boundOf,
    annualizedHigh68: boundOf,
    annualizedHigh95: boundOf,
    lookback: z.string(),
  }),
  optimalRange: z.object({
    ...bounds,
    tickLower: z.int(),
    tickUpper: z.int(),
    rangeWidthPct: z.number().nullable().describe('Lower to upper, of the price'),
  }),
  projections: z.object({
    ...yields,
    feeIncome30dUsd: z.number(),
    ilCost30dUsd: z.number(),
    netPnl30dUsd: z.number(),
    horizonDays: documented(z.number()),
    feeIncomeUsd: documented(z.number()),
    ilCostUsd: documented(z.number()),
    netPnlUsd: documented(z.number()),
    netPnlUsdError: documented(z.number()),
    netPnlUsdLow95: boundOf,
    netPnlUsdHigh95: boundOf,
    ...errors,
    ...intervals,
    terminalInRangeProbability: documented(z.number()),
    stayInRangeProbability: documented(z.number()),
    arbitrageLossApr: documented(z.number()),
    undilutedFeeApr: documented(z.number()),
    feeUncertaintyPct: documented(z.number()),
    gasApr: documented(z.number()),
    gasCostUsd: documented(z.number().nullable()),
  }),
  candidateRanges: z.array(
    z.object({ label: z.string(), ...bounds, ...yields, outOfRangeRisk: z.string(), ...errors, ...intervals }),
  ),
  sensitivity: documented(z.array(z.object({ annualized: z.number(), ...yields }))),
  simulation: documented(
    z.object({
      seed: z.int(),
      paths: z.int(),
      maxStandardErrorsOff: z.number(),
      estimates: z
        .object({ ilPctPercentiles: percentiles, ilPctPercentileErrors: percentiles })
        .catchall(z.record(z.string(), z.number())),
    }),
  ),
})

export type RangeAnswer = z.infer<typeof rangeAnswer>

export type RangeYields = Pick<RangeAnswer['projections'], keyof typeof yields>

export type RangeErrors = Pick<RangeAnswer['projections'], keyof typeof errors>

export type RangeIntervals = Pick<RangeAnswer['projections'], keyof typeof intervals>

/** A choice of range before any simulation. */
export type RangeChoiceAnswer = Omit<RangeAnswer, 'pair' | 'fee' | 'simulation'>
