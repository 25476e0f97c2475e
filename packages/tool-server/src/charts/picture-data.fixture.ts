import type { RangeIntervals } from '../analysis/range/range-answer.ts'
import type { BacktestCurves } from './backtest/backtest-curves.ts'
import type { RangeResult } from './range/range-surroundings.ts'

const gasApr = 0.4

/** A result of the shape and size that `optimize_lp_range` gives. */
export const rangeResult: RangeResult = {
  pair: 'WETH/USDC',
  chain: { name: 'Ethereum' },
  fee: 500,
  currentPrice: 3_021.4,
  volatility: {
    source: 'historical',
    annualized: 0.62,
    standardError: 0.071,
    annualizedLow95: 0.34,
    annualizedLow68: 0.47,
    annualizedHigh68: 0.79,
    annualizedHigh95: 1.12,
    lookback: '30d',
  },
  optimalRange: {
    priceLower: 2_486.2,
    priceUpper: 3_655.9,
    tickLower: -198_140,
    tickUpper: -194_280,
    rangeWidthPct: 38.7,
  },
  projections: {
    ...yields(41.2, -1.32, 9.8, 0.8),
    feeIncome30dUsd: 338.6,
    ilCost30dUsd: 254.8,
    netPnl30dUsd: 80.5,
    horizonDays: 30,
    feeIncomeUsd: 338.6,
    ilCostUsd: 254.8,
    netPnlUsd: 80.5,
    netPnlUsdError: 142.2,
    netPnlUsdLow95: -260.3,
    netPnlUsdHigh95: 590.7,
    ...errors(17.3),
    terminalInRangeProbability: 0.69,
    stayInRangeProbability: 0.51,
    arbitrageLossApr: 27.4,
    undilutedFeeApr: 41.9,
    feeUncertaintyPct: 23.4,
    gasApr,
    gasCostUsd: 3.3,
  },
  candidateRanges: [
    {
      label: 'best held',
      priceLower: 2_390,
      priceUpper: 3_802,
      ...yields(35.7, -1.21, 10.4, 0.86),
      outOfRangeRisk: 'MODERATE',
      ...errors(16.4),
    },
    {
      label: '+/-5 %',
      priceLower: 2_870.3,
      priceUpper: 3_172.5,
      ...yields(84.5, -1.92, -21, 0.36),
      outOfRangeRisk: 'MODERATE',
      ...errors(38.2),
    },
    {
      label: '+/-10 %',
      priceLower: 2_719.3,
      priceUpper: 3_323.5,
      ...yields(66.3, -1.71, -2.3, 0.6),
      outOfRangeRisk: 'MODERATE',
      ...errors(27.9),
    },
    {
      label: '+/-25 %',
      priceLower: 2_266.1,
      priceUpper: 3_776.8,
      ...yields(33.9, -1.14, 9.9, 0.88),
      outOfRangeRisk: 'MODERATE',
      ...errors(15.8),
    },
    {
      label: '+/-50 %',
      priceLower: 1_510.7,
      priceUpper: 4_532.1,
      ...yields(19.8, -0.72, 7.1, 0.99),
      outOfRangeRisk: 'MODERATE',
      ...errors(9.1),
    },
    {
      label: 'full range',
      priceLower: null,
      priceUpper: null,
      ...yields(6.2, -0.39, 1.5, 1),
      outOfRangeRisk: 'MODERATE',
      ...errors(2.7),
    },
  ],
  sensitivity: [
    { annualized: 0.496, ...yields(46.1, -0.96, 21, 0.88) },
    { annualized: 0.744, ...yields(36.4, -1.7, -3.1, 0.71) },
  ],
  simulation: {
    seed: 1,
    paths: 8_192,
    maxStandardErrorsOff: 1.83,
    estimates: {
      ilPctPercentiles: { p5: -4.9, p50: -0.8, p95: -0.004 },
      ilPctPercentileErrors: { p5: 0.012, p50: 0.003, p95: 0.0001 },
    },
  },
}

function yields(expectedFeeApr: number, expectedIlPct: number, expectedNetApr: number, inRangeProbability: number) {
  const lvrApr = expectedFeeApr - expectedNetApr - gasApr
  const ahead = intervals(expectedFeeApr, expectedNetApr)
  return { expectedFeeApr, expectedIlPct, expectedNetApr, inRangeProbability, lvrApr, ...ahead }
}

function errors(expectedNetAprError: number) {
  return { expectedNetAprError, inRangeProbabilityError: 0.012, expectedIlPctError: 0.19 }
}

/** As wide as fees may be from half to twice. */
function intervals(fees: number, net: number): RangeIntervals {
  return {
    expectedFeeAprLow95: 0.45 * fees,
    expectedFeeAprLow68: 0.7 * fees,
    expectedFeeAprHigh68: 1.5 * fees,
    expectedFeeAprHigh95: 2.4 * fees,
    expectedNetAprLow95: net - 0.8 * fees,
    expectedNetAprLow68: net - 0.4 * fees,
    expectedNetAprHigh68: net + 0.5 * fees,
    expectedNetAprHigh95: net + 1.3 * fees,
  }
}

/** Sixty days of a made-up price, and three strategies over them. */
export function backtestCurves(): BacktestCurves {
  const begin = Date.UTC(2026, 8, 1) / 1_000
  const days = Array.from({ length: 61 }, (_, day) => day)
  const priceOn = (day: number) => 2_900 + 260 * Math.sin(day / 9) + 4 * day
  const curve = (growth: number, share: number) =>
    days.map((day) => ({
      at: begin + 86_400 * day,
      valueUsd: 10_000 * (1 + growth * day + share * (priceOn(day) / priceOn(0) - 1)),
    }))
  /** Fees come evenly, and losses with the square of the price's way. */
  const course = (fees: number, il: number) => ({
    fees: days.map((day) => ({ at: begin + 86_400 * day, valueUsd: (fees * day) / 60 })),
    il: days.map((day) => ({ at: begin + 86_400 * day, valueUsd: il * (priceOn(day) / priceOn(0) - 1) ** 2 })),
  })
  const around = (day: number, width: number) => ({
    at: begin + 86_400 * day,
    lower: priceOn(day) * (1 - width),
    upper: priceOn(day) * (1 + width),
  })
  return {
    pair: 'WETH/USDC',
    chain: 'ethereum',
    fee: 500,
    caption: ['Hourly bars of 60 days, 2026-09-01 to 2026-10-31, none missing; gas at 12 gwei.'],
    prices: days.map((day) => ({ at: begin + 86_400 * day, price: priceOn(day) })),
    hodl: curve(0, 0.5),
    strategies: [
      {
        name: 'narrow',
        netReturnPct: 7.1,
        feesEarnedUsd: 830,
        feeUncertaintyPct: 18,
        equity: curve(0.0012, 0.28),
        ...course(830, 9000),
        ranges: [around(0, 0.1), around(14, 0.1), around(31, 0.1), around(43, 0.1)],
      },
      {
        name: 'medium',
        netReturnPct: 4.2,
        feesEarnedUsd: 460,
        feeUncertaintyPct: 12,
        equity: curve(0.0007, 0.36),
        ...course(460, 5000),
        ranges: [around(0, 0.25)],
      },
      {
        name: 'full-range',
        netReturnPct: 1.4,
        feesEarnedUsd: 90,
        feeUncertaintyPct: 8,
        equity: curve(0.00016, 0.45),
        ...course(90, 1200),
        ranges: [{ at: begin, lower: 0, upper: 'Infinity' }],
      },
    ],
  }
}
