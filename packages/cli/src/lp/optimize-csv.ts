import {
  candidateRanges,
  chooseRange,
  createRangeAnalyser,
  invertTicks,
  type LabelledRange,
  type RangeAnalysis,
} from '@svc/lp-math'
import { csvMarket, type CsvMarket, type CsvMarketOptions } from './csv-market.ts'
import type { CsvPool } from './csv-pool.ts'
import { describeBars, type DescribedBars } from './describe-bars.ts'
import { figure } from './figure.ts'
import { netAprError } from './net-apr-error.ts'
import { simulateRanges, type SimulatedRanges } from './simulate-ranges.ts'

/**
 * Chooses a range for the pool that the bars of a file are of: what `optimize_lp_range` answers, with the members that only a file
 * has in `data`. Throws `LpMathError`.
 */
export function optimizeCsv(pool: CsvPool, options: OptimizeCsvOptions): RangeReport {
  const read = csvMarket(pool, options)
  const { market, volatility } = read
  const analyser = createRangeAnalyser(market)
  const { atTarget, best } = chooseRange(analyser, targets[options.risk])
  const candidates: LabelledRange[] = [{ ...best, label: 'best net' }, ...candidateRanges(analyser)]
  const ticks = pool.baseToken === 1 ? invertTicks(atTarget) : atTarget
  const data = describeBars(pool)
  return {
    pair: pool.pair,
    chain: null,
    fee: pool.feePips,
    currentPrice: figure(market.model.price),
    volatility: {
      source: volatility.source,
      annualized: figure(volatility.sigma),
      standardError: figure(volatility.standardError),
      lookback: `${figure(data.days)}d`,
    },
    optimalRange: {
      ...boundsOf(atTarget),
      tickLower: ticks.tickLower,
      tickUpper: ticks.tickUpper,
      rangeWidthPct: atTarget.widthPct === Infinity ? null : figure(atTarget.widthPct),
    },
    projections: projectionsOf(atTarget, read, options.amountUsd),
    candidateRanges: candidates.map((one) => ({
      label: one.label.replace('±', '+/-'),
      ...boundsOf(one),
      ...yieldsOf(one, read),
      outOfRangeRisk: riskOf(one),
    })),
    sensitivity: [atTarget.sensitivity.calmer, atTarget.sensitivity.wilder].map((one) => ({
      annualized: figure(one.sigma),
      expectedFeeApr: figure(one.feeApr),
      expectedIlPct: figure(one.ilPct),
      expectedNetApr: figure(one.netApr),
      inRangeProbability: figure(one.timeInRange),
    })),
    simulation: simulateRanges([atTarget, ...candidates], market.model, options),
    methodology,
    data,
    notes: [...data.notes, ...notesOf(pool, options), ...warningsOf(read, best)],
    timestamp: new Date(options.now()).toISOString(),
  }
}

export type OptimizeCsvOptions = CsvMarketOptions & {
  readonly risk: keyof typeof targets
  readonly simulations: number
  readonly seed: number
  readonly now: () => number
  readonly onProgress: (done: number, all: number) => void
}

export type RangeReport = {
  readonly pair: string
  readonly chain: string | null
  readonly fee: number
  readonly currentPrice: number
  readonly volatility: {
    readonly source: string
    readonly annualized: number
    readonly standardError: number
    readonly lookback: string
  }
  readonly optimalRange: Bounds & {
    readonly tickLower: number
    readonly tickUpper: number
    readonly rangeWidthPct: number | null
  }
  readonly projections: ReturnType<typeof projectionsOf>
  readonly candidateRanges: readonly (Bounds & Yields & { readonly label: string; readonly outOfRangeRisk: string })[]
  readonly sensitivity: readonly (Omit<Yields, 'expectedNetAprError'> & { readonly annualized: number })[]
  readonly simulation: SimulatedRanges
  readonly methodology: string
  readonly data: DescribedBars
  readonly notes: readonly string[]
  readonly timestamp: string
}

type Bounds = ReturnType<typeof boundsOf>
type Yields = ReturnType<typeof yieldsOf>

/** Share of the time in range. */
export const targets = { conservative: 0.95, moderate: 0.8, aggressive: 0.6 } as const

function projectionsOf(optimal: RangeAnalysis, read: CsvMarket, amountUsd: number) {
  const in30dUsd = (apr: number) => figure((amountUsd * apr * 30) / 36_500)
  const { feesPerDay, standardError } = read.pace
  return {
    ...yieldsOf(optimal, read),
    feeIncome30dUsd: in30dUsd(optimal.feeApr),
    ilCost30dUsd: in30dUsd(optimal.lvrApr),
    netPnl30dUsd: in30dUsd(optimal.netApr),
    terminalInRangeProbability: figure(optimal.terminalInRangeProbability),
    stayInRangeProbability: figure(optimal.stayInRangeProbability),
    lvrApr: figure(optimal.lvrApr),
    arbitrageLossApr: figure(optimal.arbitrageLossApr),
    undilutedFeeApr: figure(optimal.undilutedFeeApr),
    feeUncertaintyPct: standardError === null || feesPerDay === 0 ? null : figure((100 * standardError) / feesPerDay),
    gasApr: figure(optimal.gasApr),
  }
}

function boundsOf({ bounds: { lower, upper } }: RangeAnalysis) {
  return { priceLower: figure(lower), priceUpper: upper === Infinity ? ('Infinity' as const) : figure(upper) }
}

function yieldsOf(range: RangeAnalysis, read: CsvMarket) {
  return {
    expectedFeeApr: figure(range.feeApr),
    expectedIlPct: figure(range.ilPct),
    expectedNetApr: figure(range.netApr),
    expectedNetAprError: figure(netAprError(range, read)),
    inRangeProbability: figure(range.timeInRange),
  }
}

function riskOf({ timeInRange }: RangeAnalysis): string {
  const outside = 1 - timeInRange
  return outside > 0.3 ? 'HIGH' : outside > 0.1 ? 'MODERATE' : outside > 0.001 ? 'LOW' : 'NONE'
}

function notesOf({ quoteUsd, gasUsd }: CsvPool, { blockSeconds }: OptimizeCsvOptions): string[] {
  return [
    'Bars tell one liquidity, not the ticks of the pool: it is taken to be the same at every price.',
    `One quote token is ${quoteUsd} USD; blocks come every ${blockSeconds} s.`,
    gasUsd === 0 ? 'Gas is left out (--gas-usd).' : `Opening and closing cost ${gasUsd} USD of gas each.`,
  ]
}

function warningsOf({ pace }: CsvMarket, best: RangeAnalysis): string[] {
  return [
    ...(best.netApr < 0 ? ['Fees are not expected to pay for LVR in any range: the chosen one loses.'] : []),
    ...(pace.standardError === null ? ['Below two whole days nothing says how far the fees may lie off.'] : []),
    ...(pace.feesPerDay > 0 ? [] : ['The pool earned no fees in this time.']),
  ]
}

const methodology =
  'Geometric Brownian motion without drift; a year is 365 days; Apr and Pct in percent. Volatility: EWMA 0.94 a day over hourly closes, ' +
  'or what the fees pay for (implied). optimalRange keeps the price inside for the share of time that the risk names, with the best ' +
  'skew; "best net" earns most among ranges that keep it so long. Fees: mean of the days in the file, own liquidity diluting. ' +
  'expectedIlPct is E[V/HODL - 1] over the horizon; expectedNetApr is fees less LVR less gas. Errors are one standard error: chance in ' +
  'the days of fees and in the volatility. Figures are closed forms; the simulation (Sobol, Brownian bridge) checks them.'
