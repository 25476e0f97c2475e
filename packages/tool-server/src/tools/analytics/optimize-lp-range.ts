import { intervalOf, LpMathError, mostLogDistance, mostMemoryWeight, type RangeDoubts } from '@svc/lp-math'
import * as z from 'zod'
import { type FoundPool, poolOfPair } from '../named-pool.ts'
import { hookDoubt } from '../../analysis/hook-permissions.ts'
import { clearlyBetterTier } from '../../analysis/fees/read-fee-tiers.ts'
import type { RangeChoice } from '../../analysis/range/pick-range.ts'
import { rangeAnswer } from '../../analysis/range/range-answer.ts'
import { documented } from '../../analysis/figures.ts'
import { insightsResult, recallPair, type RememberedPair } from '../../analysis/memory/pair-insights.ts'
import { readRangeMarket, type ReadRangeMarket } from '../../analysis/range/read-range-market.ts'
import { mostTicks } from '@svc/amm/liquidity'
import { rangeSurroundings } from '../../charts/range/range-surroundings.ts'
import { type ErrorDetail, tokenLabel, ToolError } from '@svc/amm'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import {
  chainInput,
  feeTiers,
  numberWithin,
  poolInput,
  riskToleranceInput,
  tokenInput,
  usdAmountInput,
  wholeNumber,
} from '../params.ts'
import { completenessOf, completenessResult } from '../period.ts'
import { blockResult, blockStamp } from '../results.ts'
import { riskTargets, formatChoice } from '../format-choice.ts'
import { formatSimulation } from '../format-simulation.ts'

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
  horizonDays: numberWithin(0.05, 365, 'a number of days from 0.05 to 365').default(30),
  riskTolerance: riskToleranceInput.default('moderate').describe('95, 80, 60 % of the time in range'),
  simulations: wholeNumber(1, 50_000, 'a whole number from 1 to 50000').default(5_000),
  volatilitySource: z
    .enum(['historical', 'implied'], { error: 'Accepted: historical or implied' })
    .default('historical'),
  seed: wholeNumber(0, 4_294_967_295, 'a whole number from 0 to 4294967295').default(1),
})

const { pair, sensitivity, simulation, ...choice } = rangeAnswer.shape

const memoryCalibration = documented(
  z.object({
    episodes: z.int(),
    returns: z.int(),
    marketAnnualized: z.number(),
    ownAnnualized: z.number().nullable(),
    annualized: z.number(),
    weight: z.number(),
    weightAtMost: z.number(),
    factorAtMost: z.number(),
  }),
)

export const optimizeLpRange = readTool({
  name: 'optimize_lp_range',
  title: 'Choose a price range',
  description:
    'The range of a v3 or v4 pool that keeps the price in it for a share of the time and earns most, fees against losses, other ranges, how sure that is. Fees of 30 days past, losses of a model without drift. Prices: token1 per token0; annualized 0.8 is 80 %.',
  scope: 'read:market',
  runsLong: true,
  view: 'lp-range',
  input,
  output: z.object({
    pair,
    chain: blockResult.chain,
    ...choice,
    volatility: choice.volatility.extend({ note: documented(z.string()) }),
    methodology: z.string(),
    timestamp: blockResult.timestamp,
    source: blockResult.source,
    blockNumber: blockResult.blockNumber,
    blockAgeSeconds: blockResult.blockAgeSeconds,
    pool: z.string(),
    sensitivity,
    simulation,
    ...completenessResult,
    memoryCalibration: memoryCalibration.optional(),
    insights: insightsResult.optional(),
  }),
}).handler(async (request, context) => {
  const chain = context.chains.get(request.chain)
  const place = await poolOfPair(request, chain, context)
  const remembered = await recallPair(context, chain, [place.token0, place.token1])
  const read = await readRangeMarket(
    context,
    { chain, ...place },
    {
      amountUsd: Number(request.amount),
      years: request.horizonDays / 365,
      source: request.volatilitySource,
      nowMs: context.now(),
      remembered: remembered?.volatilities ?? [],
    },
  )
  const [choice, otherTier] = await Promise.all([chosen(request, context, read), otherTierNotes(place, read, context)])
  const { notes, ...answer } = reported(request, place, read, choice)
  const stamp = blockStamp(chain, context, place.pool.blockNumber, read.history.source)
  // Who names no pool has still to choose one, and that comes before all of its ranges.
  const isOpen = request.fee === undefined && request.pool === undefined
  const analytic = { ...stamp, ...answer, notes: isOpen ? [...otherTier, ...notes] : [...notes, ...otherTier] }
  const result = { ...analytic, simulation: await simulated(request, context, { read, choice, analytic }) }
  context.draw(() => ({
    kind: 'range',
    result: { ...result, ...surroundings(read, place, context.now()) },
    horizonDays: request.horizonDays,
  }))
  return { ...result, ...fromMemory(remembered, read) }
})

type Request = z.output<typeof input>

function doubtsOf({ pace, volatility }: ReadRangeMarket): RangeDoubts {
  return { pace, sigmaError: volatility.standardError }
}

/** What memory did to the volatility, and what it says of the pair; nothing where it is not read back. */
function fromMemory(remembered: RememberedPair | null, { calibration }: ReadRangeMarket) {
  if (remembered === null) return {}
  const { episodes, returns, marketSigma, ownSigma, sigma, weight } = calibration
  return {
    memoryCalibration: {
      episodes,
      returns,
      marketAnnualized: marketSigma,
      ownAnnualized: ownSigma,
      annualized: sigma,
      weight,
      weightAtMost: mostMemoryWeight,
      factorAtMost: Math.exp((mostMemoryWeight * mostLogDistance) / 2),
    },
    insights: remembered.insights,
  }
}

/** The closed forms take milliseconds, too long for the thread that answers calls. */
async function chosen(request: Request, { workers, signal }: ReadContext, read: ReadRangeMarket): Promise<RangeChoice> {
  const targetTimeInRange = riskTargets[request.riskTolerance]
  const { market, fees, volatility } = read
  const outlook = { fees, volatility: volatility.ahead }
  const wanted = { market, targetTimeInRange, doubts: doubtsOf(read), outlook }
  return workers.run('chooseRange', wanted, { signal }).catch((error: unknown) => {
    throw withDetail(error, { message: 'In this time not even the closed forms came, which need no simulation.' })
  })
}

/** The answer of the closed forms. */
function reported(request: Request, place: FoundPool, read: ReadRangeMarket, choice: RangeChoice) {
  const { market, volatility, isInverted, gasCostUsd, history } = read
  const completeness = completenessOf(history)
  const { ahead, ...known } = volatility
  const { notes, ...ranges } = formatChoice(choice, {
    ...doubtsOf(read),
    amountUsd: Number(request.amount),
    horizonDays: request.horizonDays,
    isInverted,
    price: market.model.price,
    volatility: { ...known, ...(ahead && { ahead: intervalOf(ahead) }) },
    gasCostUsd,
  })
  return {
    pair: `${tokenLabel(place.token0)}/${tokenLabel(place.token1)}`,
    fee: place.pool.fee,
    pool: place.pool.id,
    ...ranges,
    volatility: { ...ranges.volatility, note: volatilityNote(read, place.pool) },
    methodology,
    ...completeness,
    isEstimate: completeness.isEstimate || place.pool.hooks !== null,
    notes: [
      ...notes,
      ...completeness.notes,
      ...hookDoubt(place.pool),
      ...(read.isProfileCut ? [cutNote] : []),
      ...(gasCostUsd === null ? ['The price of gas is unknown and left out.'] : []),
    ],
  }
}

/** That another pool of the pair pays clearly more, where that follows from what is read anyhow; it ends no choice of a range. */
async function otherTierNotes(
  { pool, token1 }: FoundPool,
  { market, volatility, history, others }: ReadRangeMarket,
  context: ReadContext,
): Promise<readonly string[]> {
  if (pool.hooks !== null || others.length === 0) return []
  const { model, blockSeconds, value } = market
  const tierMarket = {
    price: model.price,
    sigma: model.sigma,
    sigmaError: volatility.standardError,
    blockSeconds,
    value,
  }
  const better = await clearlyBetterTier(context, { pool, history }, others, {
    quote: token1,
    market: tierMarket,
  }).catch((error: unknown) => {
    if (error instanceof ToolError || error instanceof LpMathError) return null
    throw error
  })
  if (better === null) return []
  return [
    `The ${better.fee / 10_000} % pool of this pair pays clearly more in the same range, by the fees of the same days and the liquidity at the price alone: recommend_fee_tier compares them in full, and with its fee this tool chooses a range there.`,
  ]
}

/** What the picture shows around the ranges: known bars of the month, and the pool's liquidity. */
function surroundings({ market, history, isInverted }: ReadRangeMarket, { pool }: FoundPool, nowMs: number) {
  const { bars, completeness } = history
  const gaps = new Set(completeness.gapsAt)
  const scale = 10 ** (pool.token0.decimals - pool.token1.decimals)
  const closes = Array.from(bars.closeTick, (tick, bar) => {
    if (gaps.has(bars.startsAt[bar] ?? 0)) return null
    return isInverted ? 1.0001 ** -tick / scale : 1.0001 ** tick * scale
  })
  const { startsAt, barSeconds } = bars
  const { model, profile } = market
  return rangeSurroundings({ price: model.price, closes, startsAt, barSeconds, nowSeconds: nowMs / 1_000, profile })
}

const cutNote = `At least ${mostTicks} ticks are initialised around the price: beyond those nearest to it the liquidity of the last is taken to go on.`

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
      const message = 'The answer of the closed forms, which need no simulation.'
      throw withDetail(error, { field: 'simulations', message, analytic })
    })
  return { seed: request.seed, paths: run.paths, ...formatSimulation(ranges, run.estimates) }
}

type Analytic = {
  readonly read: ReadRangeMarket
  readonly choice: RangeChoice
  readonly analytic: Readonly<Record<string, unknown>>
}

const steps = 32
/** Fewer say nothing of their own error. */
const leastPaths = 64

/** A timeout that says what there is of the answer. */
function withDetail(error: unknown, detail: ErrorDetail): unknown {
  if (!(error instanceof ToolError && error.code === 'SIMULATION_TIMEOUT')) return error
  const { code, message, suggestion, details } = error
  return new ToolError(code, message, { suggestion, details: [detail, ...details] })
}

/** Pools that trade seldom look calm, so that all tools take the closes of the one that trades most. */
function volatilityNote(
  { volatility: { source, ofPool }, unread }: ReadRangeMarket,
  { id }: FoundPool['pool'],
): string {
  const pool = `the ${ofPool.fee / 10_000} % pool`
  if (source === 'implied') return `What the fees that ${pool} earned in 7 days pay for.`
  const missing = unread.map(({ fee }) => ` What the ${fee / 10_000} % pool traded could not be read.`).join('')
  const which = ofPool.id === id ? '' : ', not of this one'
  return `EWMA, 0.94 a day, of the hourly closes of ${pool}, the busiest of the pair${which}: the same as of recommend_fee_tier, whose netApr is of a range of two deviations and without gas.${missing}`
}

const methodology =
  'Geometric Brownian motion without drift of the price, which is in token1 (the other order of tokens differs by a few percent); 365 days a year; Apr and Pct in percent. ' +
  'optimalRange keeps the price inside for the share of time that riskTolerance names, evenly about the price unless a skew earns more by more than the errors; "best held" earns most of all ranges that do; the others stand beside it whether they do or not. ' +
  'inRangeProbability: share of time in range; terminal: at the horizon; stay: never leaving. Fees: mean of the days seen, own liquidity diluting. ' +
  'expectedIlPct: E[V/HODL - 1] over the horizon; ilCost30dUsd: expected loss against holding, which LVR equals; expectedNetApr: fees less LVR less gas (gasApr, the same for all ranges). ' +
  'feeUncertaintyPct: one standard error of the fees ahead, in percent of them, as of recommend_fee_tier; that of backtest_lp_strategy is another. ' +
  "Ranges are widened to the pool's ticks: +/-1 % may reach farther. Figures are closed forms, which the simulation checks; errors are one standard error. " +
  'Low95 to High95, Low68 to High68: where what these days bring is to be found in 95 and 68 of 100 cases, as trade and volatility persist and change and the price goes its way.'
