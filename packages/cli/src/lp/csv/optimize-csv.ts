import { createSimulation, intervalOf, type PriceModel, type RangeAnalysis } from '@svc/lp-math'
import { formatChoice, formatSimulation, pickRange, type RangeAnswer, riskTargets } from '@svc/tool-server/analysis'
import { setImmediate } from 'node:timers/promises'
import { csvMarket, type CsvMarket, type CsvMarketOptions } from './csv-market.ts'
import { baseNotes, type CsvPool } from './csv-pool.ts'
import { describeBars, type DescribedBars, quoteWorth } from '../describe-bars.ts'

/**
 * Chooses a range for the pool that the bars of a file are of: what `optimize_lp_range` answers, with the members that only a file
 * has in `data`. Throws `LpMathError`.
 */
export async function optimizeCsv(pool: CsvPool, options: OptimizeCsvOptions): Promise<RangeReport> {
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

export type RangeReport = RangeAnswer & {
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
