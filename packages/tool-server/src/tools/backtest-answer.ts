import * as z from 'zod'
import { completenessResult } from './period.ts'
import { documented, readResult, usdResult } from './results.ts'

/** What `backtest_lp_strategy` answers. */
export const backtestAnswer = z.object({
  pair: z.string(),
  chain: readResult.chain,
  fee: z.int(),
  period: z.object({ start: z.string(), end: z.string(), days: z.number() }),
  priceChange: z.object({ startPrice: z.number(), endPrice: z.number(), changePct: z.number() }),
  hodlBenchmark: z.object({ startValueUsd: z.number(), endValueUsd: z.number(), returnPct: z.number() }),
  strategies: z.array(
    z.object({
      name: z.string(),
      feesEarnedUsd: z.number(),
      ilCostUsd: z.number(),
      rebalanceCount: z.int(),
      rebalanceGasCostUsd: usdResult,
      endValueUsd: z.number(),
      netReturnPct: z.number(),
      vsHodlPct: z.number(),
      inRangePct: z.number(),
      sharpeRatio: z.number().nullable(),
      rangePct: documented(z.number().nullable()),
      rebalanceThresholdPct: documented(z.number().nullable()),
      feeUncertaintyPct: documented(z.number()),
      lvrUsd: documented(z.number()),
      hodlMoveUsd: documented(z.number()),
      gasCostUsd: documented(usdResult),
      swapCostUsd: documented(z.number()),
      vs5050Pct: documented(z.number()),
      maxDrawdownPct: documented(z.number()),
    }),
  ),
  winner: z.object({ strategy: z.string(), reason: z.string(), caveat: z.string() }),
  timestamp: readResult.timestamp,
  source: readResult.source,
  pool: z.string(),
  ...completenessResult,
})
