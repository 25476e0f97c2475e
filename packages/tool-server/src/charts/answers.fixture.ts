import { rangeResult } from './picture-data.fixture.ts'
import type { BacktestAnswer } from './backtest/backtest-figures.ts'
import type { AnsweredRange } from './range/range-figures.ts'

const check = (simulated: number, standardError: number) => ({
  simulated,
  standardError,
  analytic: simulated + standardError,
  standardErrorsOff: 1,
})

/** A whole answer of `optimize_lp_range`. */
export const rangeAnswer: AnsweredRange = {
  ...rangeResult,
  simulation: {
    seed: 7,
    paths: 8_192,
    maxStandardErrorsOff: 1.83,
    estimates: {
      ...rangeResult.simulation!.estimates,
      inRangeProbability: check(0.8012, 0.00031),
      expectedIlPct: check(-1.318, 0.0017),
    },
  },
  methodology: 'Geometric Brownian motion without drift.',
  notes: ['Hooks of this pool may change fees and amounts: the figures are estimates.'],
  barsExpected: 720,
  barsFound: 711,
  isEstimate: true,
}

/** A whole answer of `backtest_lp_strategy`. */
export const backtestAnswer: BacktestAnswer = {
  pair: 'WETH/USDC',
  chain: { name: 'ethereum' },
  fee: 500,
  period: { start: '2026-09-01T00:00:00.000Z', end: '2026-10-31T00:00:00.000Z', days: 60 },
  priceChange: { startPrice: 2_900, endPrice: 3_100, changePct: 6.9 },
  hodlBenchmark: { startValueUsd: 10_000, returnPct: 3.4 },
  strategies: [report('narrow', 7.1, 830, 18), report('medium', 4.2, 460, 12), report('full-range', 1.4, 90, 8)],
  winner: { strategy: 'narrow', reason: 'Ended with 10710 USD.', caveat: 'One past of 60 days, no forecast.' },
  notes: ["Gas is counted at today's price."],
  barsExpected: 1_440,
  barsFound: 1_440,
  isEstimate: false,
}

function report(name: string, netReturnPct: number, feesEarnedUsd: number, feeUncertaintyPct: number) {
  return {
    name,
    feesEarnedUsd,
    feeUncertaintyPct,
    ilCostUsd: 120,
    lvrUsd: 300,
    rebalanceCount: 3,
    gasCostUsd: null,
    swapCostUsd: 4,
    endValueUsd: 10_000 * (1 + netReturnPct / 100),
    netReturnPct,
    vsHodlPct: 3.7,
    vs5050Pct: 3.6,
    inRangePct: 91.5,
    sharpeRatio: 1.9,
    maxDrawdownPct: 4.4,
  }
}
