import type * as z from 'zod'
import { rangeForm } from './answer-forms.ts'
import { figureTable, printableText } from '../terminal-text.ts'
import type { RangeResult } from '@svc/tool-server'
import {
  pastPrices,
  riskTargets,
  formatChoice,
  formatSimulation,
  pickRange,
  type RangeAnswer,
} from '@svc/tool-server/analysis'
import { afterBase, type CsvPool, csvPoolFlags, readCsvPool, baseNotes } from './csv/csv-pool.ts'
import { parseWholeNumber, parseWordsAndFlags, parseNumber } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { fileOrPool, poolPlaceFlags } from './pool-place.ts'
import { progressLine } from './ask-pool.ts'
import { svgPath, writeSvg } from './write-svg.ts'
import { createSimulation, intervalOf, type PriceModel, type RangeAnalysis } from '@svc/lp-math'
import { setImmediate } from 'node:timers/promises'
import {
  csvMarket,
  type CsvMarket,
  type CsvMarketOptions,
  describeBars,
  type DescribedBars,
  quoteWorth,
} from './csv/csv-market.ts'

/** `svc lp optimize`: chooses a range for the pool that the bars of a CSV file are of, or for a pool of a chain. */
export async function optimize(argv: readonly string[], stopped: Promise<unknown>): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, { values: names, switches: ['json'] })
  const svg = svgPath(flags.svg)
  const file = fileOrPool('optimize', words, flags)
  const options = {
    amountUsd: parseNumber('--amount', flags.amount, 0.01, 1e12) ?? 10_000,
    horizonDays: parseNumber('--horizon-days', flags['horizon-days'], 0.05, 365) ?? 30,
    risk: oneOf('--risk', flags.risk ?? 'moderate', Object.keys(riskTargets) as (keyof typeof riskTargets)[]),
    volatilitySource: oneOf('--volatility', flags.volatility ?? 'historical', ['historical', 'implied']),
    simulations: parseWholeNumber('--simulations', flags.simulations, 64, file === null ? 50_000 : 1_000_000) ?? 5_000,
    seed: parseWholeNumber('--seed', flags.seed, 0, 4_294_967_295) ?? 1,
  }
  if (file === null) {
    const { amountUsd: _, risk: riskTolerance, ...others } = options
    const input = { ...others, riskTolerance, amount: flags.amount ?? '10000' }
    const { askPool } = await import('./ask-pool.ts')
    return askPool(flags, {
      stopped,
      ask: (tools, pair) => tools.call('optimize_lp_range', { ...pair, ...input }, rangeForm),
      show: showRange,
    })
  }
  const blockSeconds = parseNumber('--block-seconds', flags['block-seconds'], 0.001, 86_400) ?? 12
  const onProgress = progressLine(process.stderr)
  const pool = await readCsvPool(file, flags)
  const chosen = optimizeCsv(pool, { ...options, blockSeconds, now: Date.now, onProgress })
  const report = await Promise.race([chosen, stopped.then(() => null)])
  if (report === null) return 130
  if (svg !== undefined) {
    await writeSvg(svg, ({ rangePicture }) => rangePicture(picturedRange(report, pool), options.horizonDays))
  }
  process.stdout.write(printableText(flags.json ? `${JSON.stringify(report)}\n` : afterBase(pool, showRange(report))))
  return 0
}

const names = [
  ...csvPoolFlags,
  ...poolPlaceFlags,
  'amount',
  'horizon-days',
  'risk',
  'volatility',
  'block-seconds',
  'simulations',
  'seed',
  'svg',
] as const

function oneOf<const One extends string>(flag: string, text: string, all: readonly One[]): One {
  const found = all.find((one) => one === text)
  if (found === undefined) throw new UsageError(`${flag} takes ${all.join(', ')}, not "${text.slice(0, 40)}"`)
  return found
}

/** A choice of range as its picture takes it, with the file's prices until its end. */
function picturedRange(report: RangeReport, pool: PricedBars): RangeResult {
  return { ...report, chain: { name: 'a file of bars' }, past: pastOf(pool) }
}

type PricedBars = Pick<CsvPool, 'bars' | 'baseToken' | 'decimals0' | 'decimals1'>

function pastOf({ bars, baseToken, decimals0, decimals1 }: PricedBars) {
  const scale = 10 ** (decimals0 - decimals1)
  const { startsAt, barSeconds } = bars
  const closes = Array.from(bars.closeTick, (tick) =>
    baseToken === 0 ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale,
  )
  return pastPrices({ closes, startsAt, barSeconds, nowSeconds: (startsAt.at(-1) ?? 0) + barSeconds })
}

/** A choice of range for a person: the range, those beside it with error bars, and what it rests on. */
function showRange(report: z.infer<typeof rangeForm>): string {
  const { pair, pool, fee, currentPrice, volatility, optimalRange, projections, simulation, sensitivity } = report
  const rows = [{ label: 'chosen', ...optimalRange, ...projections }, ...report.candidateRanges].map((one) => [
    one.label,
    bound(one.priceLower, currentPrice),
    bound(one.priceUpper, currentPrice),
    `${share(one.inRangeProbability)} ± ${(100 * one.inRangeProbabilityError).toFixed(1)}`,
    pct(one.expectedFeeApr),
    `${pct(one.expectedIlPct)} ± ${one.expectedIlPctError.toFixed(2)}`,
    pct(one.lvrApr),
    `${pct(one.expectedNetApr)} ± ${one.expectedNetAprError.toFixed(2)}`,
  ])
  const { ilPctPercentiles: il, ilPctPercentileErrors: errors } = simulation.estimates
  const sigma = `${(100 * volatility.annualized).toFixed(1)} ± ${(100 * volatility.standardError).toFixed(1)} %`
  const { annualizedLow95: calmest, annualizedHigh95: wildest } = volatility
  const ahead = [
    interval('volatility', calmest && 100 * calmest, wildest && 100 * wildest),
    interval('fee APR', projections.expectedFeeAprLow95, projections.expectedFeeAprHigh95),
    interval('net APR', projections.expectedNetAprLow95, projections.expectedNetAprHigh95),
  ].flat()
  return [
    `${pair}, ${pool === undefined ? '' : `pool ${pool}, `}fee ${fee / 10_000} %, price ${price(currentPrice)}, volatility ${sigma} a year (${volatility.source}, ${volatility.lookback})`,
    '',
    figureTable(['range', 'from', 'to', 'time in', 'fee APR', 'IL', 'LVR', 'net APR'], rows).trimEnd(),
    '',
    `Chosen: ticks ${optimalRange.tickLower} to ${optimalRange.tickUpper} of the pool; in range at the horizon ` +
      `${share(projections.terminalInRangeProbability)}, never left ${share(projections.stayInRangeProbability)}; ` +
      `LVR ${pct(projections.lvrApr)} a year, of which arbitrageurs keep ${pct(projections.arbitrageLossApr)}.`,
    `IL of 9 paths in 10 between ${pct(il.p5)} and ${pct(il.p95)} (± ${errors.p5.toFixed(2)}, ${errors.p95.toFixed(2)}).`,
    ...(ahead.length === 0
      ? []
      : [`To come in ${projections.horizonDays} days, in 95 of 100 cases, of the chosen range: ${ahead.join(', ')}.`]),
    ...sensitivity.map(
      (one) =>
        `At a volatility of ${share(one.annualized)}: fees ${pct(one.expectedFeeApr)}, net ${pct(one.expectedNetApr)}.`,
    ),
    `Simulation: ${simulation.paths} paths, seed ${simulation.seed}; at most ${simulation.maxStandardErrorsOff.toFixed(1)} of its standard errors off the closed forms.`,
    ...report.notes.map((note) => `- ${note}`),
    '',
  ].join('\n')
}

function interval(name: string, low: number | null, high: number | null): string[] {
  return low === null || high === null ? [] : [`${name} ${pct(low)} to ${pct(high)}`]
}

function price(value: number): string {
  return String(Number(value.toPrecision(7)))
}

/** To the place that the price has with seven digits, as all of its column. */
function bound(value: number | null, currentPrice: number): string {
  if (value === null) return 'no end'
  const places = 6 - Math.floor(Math.log10(currentPrice))
  return value.toFixed(Math.min(Math.max(places, 0), mostPlaces))
}

const mostPlaces = 24

function pct(value: number): string {
  return `${value.toFixed(2)} %`
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`
}

/**
 * Chooses a range for the pool that the bars of a file are of: what `optimize_lp_range` answers, with the members that only a file
 * has in `data`. Throws `LpMathError`.
 */
async function optimizeCsv(pool: CsvPool, options: OptimizeCsvOptions): Promise<RangeReport> {
  const read = csvMarket(pool, options)
  const { market, volatility, doubts, fees } = read
  const { ahead, ...known } = volatility
  const outlook = { fees, volatility: ahead }
  const choice = pickRange({ market, targetTimeInRange: riskTargets[options.risk], doubts, outlook })
  const data = describeBars(pool)
  const { sensitivity, notes, ...reported } = formatChoice(choice, {
    ...doubts,
    amountUsd: options.amountUsd,
    horizonDays: options.horizonDays,
    isInverted: pool.baseToken === 1,
    price: market.model.price,
    volatility: { ...known, lookbackDays: data.days, ...(ahead && { ahead: intervalOf(ahead) }) },
    gasCostUsd: pool.gasUsd === 0 ? null : 2 * pool.gasUsd,
  })
  return {
    pair: pool.pair,
    chain: null,
    fee: pool.feePips,
    ...reported,
    methodology,
    timestamp: new Date(options.now()).toISOString(),
    sensitivity,
    simulation: await simulate([choice.optimal, ...choice.candidates], market.model, options),
    barsExpected: data.bars,
    barsFound: data.bars - pool.filledBars,
    notes: [...baseNotes(pool), ...data.notes, ...notesOf(pool, options), ...notes, ...warningsOf(read)],
    data,
  }
}

export type OptimizeCsvOptions = CsvMarketOptions & {
  readonly risk: keyof typeof riskTargets
  readonly simulations: number
  readonly seed: number
  readonly now: () => number
  readonly onProgress: (done: number, all: number) => void
}

type RangeReport = RangeAnswer & {
  readonly chain: null
  readonly notes: readonly string[]
  readonly methodology: string
  readonly barsExpected: number
  readonly barsFound: number
  readonly data: DescribedBars
  readonly timestamp: string
}

/** In portions, between which whoever wants it to end is heard. */
async function simulate(
  ranges: readonly RangeAnalysis[],
  model: PriceModel,
  { simulations, seed, onProgress }: OptimizeCsvOptions,
) {
  const bounds = ranges.map((range) => range.bounds)
  const simulation = createSimulation({ model, bounds, paths: simulations, steps: 32, seed })
  for (let done = 0; done < simulation.paths; await setImmediate()) {
    done = simulation.advance(2_000)
    onProgress(done, simulation.paths)
  }
  return { seed, paths: simulation.paths, ...formatSimulation(ranges, simulation.result()) }
}

function notesOf(pool: CsvPool, { blockSeconds }: OptimizeCsvOptions): string[] {
  return [
    'Bars tell one liquidity, not the ticks of the pool: it is taken to be the same at every price.',
    `${quoteWorth(pool)}; blocks come every ${blockSeconds} s.`,
    pool.gasUsd === 0 ? 'Gas is left out (--gas-usd).' : `Opening and closing cost ${pool.gasUsd} USD of gas each.`,
  ]
}

function warningsOf({ doubts: { pace } }: CsvMarket): string[] {
  return pace.standardError === null ? ['Below two whole days nothing says how far the fees may lie off.'] : []
}

const methodology =
  'Geometric Brownian motion without drift of the price, which is in the quote token: with --base the other way round dollars differ by a few percent; a year is 365 days; Apr and Pct in percent. Volatility: EWMA 0.94 a day over hourly closes, ' +
  'or what the fees pay for (implied). optimalRange keeps the price inside for the share of time that the risk names, evenly about the price ' +
  'unless in both orders of the tokens a skew earns more by more than the errors; "best held" earns most among ranges that keep it so long. Fees: mean of the days in the file, own liquidity diluting. ' +
  'expectedIlPct is E[V/HODL - 1] over the horizon; expectedNetApr is fees less LVR less gas. Errors are one standard error: chance in ' +
  'the days of fees and in the volatility. Figures are closed forms; the simulation (Sobol, Brownian bridge) checks them. ' +
  'Low95 to High95, Low68 to High68: where what the horizon brings is to be found in 95 and 68 of 100 cases.'
