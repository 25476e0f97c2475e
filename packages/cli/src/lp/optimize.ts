import type * as z from 'zod'
import { rangeForm } from './answer-forms.ts'
import { figureTable } from '../table.ts'
import type { RangeResult } from '@svc/tool-server'
import { pastPrices, riskTargets } from '@svc/tool-server/analysis'
import { afterBase, type CsvPool, csvPoolFlags, readCsvPool } from './csv/csv-pool.ts'
import { optimizeCsv, type RangeReport } from './csv/optimize-csv.ts'
import { parseWholeNumber, parseWordsAndFlags, parseNumber } from '../parse-words-and-flags.ts'
import { printableText } from '../printable-text.ts'
import { UsageError } from '../usage-error.ts'
import { fileOrPool, poolPlaceFlags } from './pool-place.ts'
import { progressLine } from './ask-pool.ts'
import { svgPath, writeSvg } from './write-svg.ts'

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
