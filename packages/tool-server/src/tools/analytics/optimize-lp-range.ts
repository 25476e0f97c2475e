import {
  candidateRanges,
  chooseRange,
  createRangeAnalyser,
  invertTicks,
  type LabelledRange,
  type RangeAnalysis,
  type RangeEstimates,
} from '@svc/lp-math'
import * as z from 'zod'
import { compareSimulation } from '../../adapters/analytics/compare-simulation.ts'
import { hookDoubt } from '../../adapters/analytics/hook-doubt.ts'
import { readRangeMarket, type ReadRangeMarket } from '../../adapters/analytics/read-range-market.ts'
import { ToolError } from '../../tool-error.ts'
import { readTool, type ReadContext } from '../../tool.ts'
import type { FoundPool } from '../named-pool.ts'
import { chainInput, feeTiers, poolInput, tokenInput, usdAmountInput, wholeNumber } from '../params.ts'
import { completenessOf, completenessResult } from '../period.ts'
import { poolOfPair } from '../pool-of-pair.ts'
import { readResult, readStamp, tokenLabel } from '../results.ts'

const daysAccepted = 'Accepted: a number of days from 0.05 to 365'

const input = z.strictObject({
  token0: tokenInput,
  token1: tokenInput,
  chain: chainInput,
  amount: usdAmountInput,
  fee: z
    .literal(feeTiers, { error: 'Accepted: 100, 500, 3000 or 10000' })
    .optional()
    .describe('Default: the deepest pool'),
  pool: poolInput.optional(),
  horizonDays: z
    .number({ error: daysAccepted })
    .refine((days) => days >= 0.05 && days <= 365, daysAccepted)
    .default(30),
  riskTolerance: z
    .enum(['conservative', 'moderate', 'aggressive'], { error: 'Accepted: conservative, moderate or aggressive' })
    .default('moderate')
    .describe('95, 80, 60 % of the time in range'),
  simulations: wholeNumber(1, 50_000, 'a whole number from 1 to 50000').default(5_000),
  volatilitySource: z
    .enum(['historical', 'implied'], { error: 'Accepted: historical or implied' })
    .default('historical'),
  seed: wholeNumber(0, 4_294_967_295, 'a whole number from 0 to 4294967295').default(1),
})

const numbersResult = z.record(z.string(), z.number())

/** The upper price of the full range is the text Infinity. */
const boundsResult = { priceLower: z.number(), priceUpper: z.number().or(z.literal('Infinity')) }

const yieldResult = {
  expectedFeeApr: z.number(),
  expectedIlPct: z.number(),
  expectedNetApr: z.number(),
  inRangeProbability: z.number(),
}

export const optimizeLpRange = readTool({
  name: 'optimize_lp_range',
  title: 'Choose a price range',
  description:
    'The range of a v3 or v4 pool that keeps the price in it for a share of the time and earns most, its fees against losses, other ranges, and how sure that is. Fees come from the past 30 days, losses from a model without drift. Prices are token1 per token0; annualized 0.8 is 80 %.',
  scope: 'read:market',
  view: 'lp-range',
  input,
  output: z.object({
    ...readResult,
    pair: z.string(),
    fee: z.int(),
    pool: z.string(),
    currentPrice: z.number(),
    volatility: z.object({ source: z.string(), annualized: z.number(), lookback: z.string() }),
    optimalRange: z.object({
      ...boundsResult,
      tickLower: z.int(),
      tickUpper: z.int(),
      rangeWidthPct: z.number().nullable(),
    }),
    projections: z
      .object({
        ...yieldResult,
        feeIncome30dUsd: z.number(),
        ilCost30dUsd: z.number(),
        netPnl30dUsd: z.number(),
      })
      .catchall(z.number().nullable()),
    candidateRanges: z.array(
      z.object({ label: z.string(), ...boundsResult, ...yieldResult, outOfRangeRisk: z.string() }),
    ),
    sensitivity: z.array(numbersResult),
    simulation: z.object({
      seed: z.int(),
      paths: z.int(),
      maxStandardErrorsOff: z.number(),
      estimates: z.record(z.string(), z.unknown()),
    }),
    methodology: z.string(),
    ...completenessResult,
  }),
}).handler(async (request, context) => {
  const chain = context.chains.get(request.chain)
  const place = await poolOfPair(request, chain, context)
  const read = await readRangeMarket(
    context,
    { chain, ...place },
    {
      amountUsd: Number(request.amount),
      years: request.horizonDays / 365,
      source: request.volatilitySource,
      nowMs: context.now(),
    },
  )
  const choice = choose(read, request)
  const analytic = { ...readStamp(chain, context, read.history.source), ...told(request, place, read, choice) }
  const result = { ...analytic, simulation: await simulated(request, context, { read, choice, analytic }) }
  context.draw(() => ({ kind: 'range', result, horizonDays: request.horizonDays }))
  return result
})

type Request = z.output<typeof input>

type Choice = { readonly optimal: RangeAnalysis; readonly candidates: readonly LabelledRange[] }

const targets = { conservative: 0.95, moderate: 0.8, aggressive: 0.6 } as const

function choose({ market }: ReadRangeMarket, { riskTolerance }: Request): Choice {
  const analyser = createRangeAnalyser(market)
  const { atTarget, best } = chooseRange(analyser, targets[riskTolerance])
  return { optimal: atTarget, candidates: [{ ...best, label: 'best net' }, ...candidateRanges(analyser)] }
}

/** The answer of the closed forms. */
function told(request: Request, place: FoundPool, read: ReadRangeMarket, { optimal, candidates }: Choice) {
  const { market, volatility, isInverted } = read
  const ticks = isInverted ? invertTicks(optimal) : optimal
  const completeness = completenessOf(read.history)
  return {
    pair: `${tokenLabel(place.token0)}/${tokenLabel(place.token1)}`,
    fee: place.pool.fee,
    pool: place.pool.id,
    currentPrice: market.model.price,
    volatility: {
      source: volatility.source,
      annualized: figure(volatility.sigma),
      lookback: `${volatility.lookbackDays}d`,
    },
    optimalRange: {
      ...boundsOf(optimal),
      tickLower: ticks.tickLower,
      tickUpper: ticks.tickUpper,
      rangeWidthPct: optimal.widthPct === Number.POSITIVE_INFINITY ? null : figure(optimal.widthPct),
    },
    projections: projectionsOf(optimal, read, Number(request.amount)),
    candidateRanges: candidates.map((one) => ({
      label: one.label.replace('±', '+/-'),
      ...boundsOf(one),
      ...yieldsOf(one),
      outOfRangeRisk: riskOf(one),
    })),
    sensitivity: [atSigma(optimal.sensitivity.calmer), atSigma(optimal.sensitivity.wilder)],
    methodology,
    ...completeness,
    isEstimate: completeness.isEstimate || place.pool.hooks !== null,
    notes: [...completeness.notes, ...notesOf(place, read, optimal)],
  }
}

function projectionsOf(optimal: RangeAnalysis, { pace, gasCostUsd }: ReadRangeMarket, amountUsd: number) {
  const in30dUsd = (apr: number) => figure((amountUsd * apr * 30) / 36_500)
  return {
    ...yieldsOf(optimal),
    feeIncome30dUsd: in30dUsd(optimal.feeApr),
    ilCost30dUsd: in30dUsd(optimal.lvrApr),
    netPnl30dUsd: in30dUsd(optimal.netApr),
    terminalInRangeProbability: figure(optimal.terminalInRangeProbability),
    stayInRangeProbability: figure(optimal.stayInRangeProbability),
    lvrApr: figure(optimal.lvrApr),
    arbitrageLossApr: figure(optimal.arbitrageLossApr),
    undilutedFeeApr: figure(optimal.undilutedFeeApr),
    feeUncertaintyPct: figure(feeUncertaintyPct(optimal, pace)),
    gasCostUsd: gasCostUsd === null ? null : figure(gasCostUsd),
  }
}

/** Of independent causes: chance in the days seen, the last week against them, and whether trade follows depth or the clock. */
function feeUncertaintyPct({ feeApr, steadyFeeApr }: RangeAnalysis, pace: ReadRangeMarket['pace']): number {
  if (!(pace.meanUsd > 0) || !(feeApr > 0)) return 0
  const causes = [
    pace.standardErrorUsd / pace.meanUsd,
    (pace.last7dUsd - pace.meanUsd) / pace.meanUsd,
    (steadyFeeApr - feeApr) / feeApr,
  ]
  return 100 * Math.hypot(...causes)
}

function notesOf(place: FoundPool, { gasCostUsd, pace }: ReadRangeMarket, optimal: RangeAnalysis): string[] {
  return [
    ...hookDoubt(place.pool),
    ...(gasCostUsd === null ? ['The price of gas is unknown and left out.'] : []),
    ...(pace.meanUsd > 0 ? [] : ['The pool earned no fees in this time.']),
    ...(optimal.undilutedFeeApr > 2 * optimal.feeApr
      ? ['The amount is large for this pool: its own liquidity takes more than half of the fee APR away.']
      : []),
  ]
}

async function simulated(request: Request, context: ReadContext, { read, choice, analytic }: Analytic) {
  const { optimal, candidates } = choice
  const ranges = [optimal, ...candidates]
  const { model } = read.market
  const paths = Math.max(request.simulations, leastPaths)
  const bounds = ranges.map((range) => range.bounds)
  const { signal, onProgress } = context
  const run = await context.workers
    .run('simulate', { model, bounds, paths, steps, seed: request.seed }, { signal, onProgress })
    .catch((error: unknown) => {
      throw error instanceof ToolError && error.code === 'SIMULATION_TIMEOUT' ? timedOut(error, analytic) : error
    })
  const checks = ranges.flatMap((range, index) => checksOf(range, run.estimates[index]))
  const percentiles = run.estimates[0]?.ilPercentiles
  return {
    seed: request.seed,
    paths: run.paths,
    maxStandardErrorsOff: figure(Math.max(...checks.map((one) => one.standardErrorsOff))),
    estimates: {
      ...Object.fromEntries(checks.slice(0, 4).map(({ quantity, ...numbers }) => [quantity, figures(numbers)])),
      ilPctPercentiles: figures({
        p5: 100 * (percentiles?.p5.mean ?? 0),
        p50: 100 * (percentiles?.p50.mean ?? 0),
        p95: 100 * (percentiles?.p95.mean ?? 0),
      }),
    },
  }
}

type Analytic = {
  readonly read: ReadRangeMarket
  readonly choice: Choice
  readonly analytic: Readonly<Record<string, unknown>>
}

const steps = 32
/** Fewer say nothing of their own error. */
const leastPaths = 64

function checksOf(range: RangeAnalysis, estimates: RangeEstimates | undefined) {
  return estimates === undefined ? [] : compareSimulation(estimates, range)
}

function timedOut(cause: ToolError, analytic: Readonly<Record<string, unknown>>): ToolError {
  const message = 'The answer of the closed forms, which need no simulation.'
  return new ToolError('SIMULATION_TIMEOUT', cause.message, { details: [{ message, analytic }] })
}

function boundsOf({ bounds }: RangeAnalysis) {
  const { lower, upper } = bounds
  return { priceLower: figure(lower), priceUpper: upper === Number.POSITIVE_INFINITY ? infinite : figure(upper) }
}

const infinite = 'Infinity' as const

function yieldsOf(range: Pick<RangeAnalysis, 'feeApr' | 'ilPct' | 'netApr' | 'timeInRange'>) {
  return {
    expectedFeeApr: figure(range.feeApr),
    expectedIlPct: figure(range.ilPct),
    expectedNetApr: figure(range.netApr),
    inRangeProbability: figure(range.timeInRange),
  }
}

function atSigma(range: RangeAnalysis['sensitivity']['calmer']) {
  return { annualized: figure(range.sigma), ...yieldsOf(range) }
}

function riskOf({ timeInRange }: RangeAnalysis): string {
  const outside = 1 - timeInRange
  return outside > 0.3 ? 'HIGH' : outside > 0.1 ? 'MODERATE' : outside > 0.001 ? 'LOW' : 'NONE'
}

const methodology =
  'Geometric Brownian motion without drift; a year is 365 days; every Apr and Pct in percent. Volatility: EWMA 0.94 a day over ' +
  'hourly closes of 30 days, or what the fees of 7 days pay for (implied). optimalRange keeps the price inside for the share of time ' +
  'that riskTolerance names, with the best skew; "best net" earns most among ranges that keep it so long. inRangeProbability is the expected share ' +
  'of time in range; terminal is at the horizon, stay is never leaving. Fees: mean of the days seen, by the liquidity at each price, own ' +
  'liquidity diluting. expectedIlPct is E[V/HODL - 1] over the horizon; ilCost30dUsd are the expected dollars lost against holding, which LVR equals; ' +
  "expectedNetApr is fees less LVR less gas to open and close. Ticks are the pool's own. Figures are closed forms; the simulation (Sobol, Brownian bridge) checks them."

/** Ten digits are more than any of it is worth. */
function figure(value: number): number {
  return Number(value.toPrecision(10)) + 0
}

function figures(numbers: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, figure(value)]))
}
