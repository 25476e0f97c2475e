import { type BacktestStrategy, type Interval, leadAhead, type StrategyResult } from '@svc/lp-math'
import * as z from 'zod'
import type { PoolBars } from '@svc/amm'
import type { Replayed } from '../ports.ts'
import { timeOfBar, completenessResult } from './period.ts'
import { boundsNamed, figure, percents, documented } from '../analysis/figures.ts'
import { blockResult, usdResult } from './results.ts'

/**
 * How `backtest_lp_strategy` tells of a replay: what each strategy came to, which ended with the most, and what half of the amount in each
 * token would have. Money is in US dollars, costs positive, `Pct` in percent.
 */
export function formatBacktest(
  strategies: readonly BacktestStrategy[],
  replayed: Replayed,
  about: AboutBacktest,
): FormattedBacktest {
  const { startPrice, endPrice, startsAt, endsAt } = replayed
  return {
    period: { start: timeOfBar(startsAt), end: timeOfBar(endsAt), days: figure((endsAt - startsAt) / 86_400) },
    priceChange: {
      startPrice: figure(startPrice),
      endPrice: figure(endPrice),
      changePct: figure((endPrice / startPrice - 1) * 100),
    },
    hodlBenchmark: benchmarkOf(replayed, about),
    strategies: strategies.flatMap((strategy, index) => {
      const result = replayed.strategies[index]
      return result === undefined ? [] : [rowOf(strategy, result, about)]
    }),
    winner: backtestWinner(replayed, { ...about.completeness, isGasKnown: about.isGasKnown }),
    notes: [
      ...widthNotes(strategies, replayed.strategies, { startPrice, tickSpacing: about.tickSpacing }),
      ...amountNotes(replayed.strategies),
    ],
  }
}

export type AboutBacktest = {
  readonly startValueUsd: number
  /** Dollars of one quote token: throughout, or at the close of each bar. */
  readonly quoteUsd: number | Float64Array
  /** Whether gas counts; where it does not, what it cost is null. */
  readonly isGasKnown: boolean
  readonly tickSpacing: number | null
  readonly completeness: Pick<PoolBars['completeness'], 'gaps' | 'hasAllTrades'>
}

export type FormattedBacktest = Pick<Answer, 'period' | 'priceChange' | 'hodlBenchmark' | 'strategies' | 'winner'> & {
  /** What must be said of the strategies. */
  readonly notes: readonly string[]
}

type Answer = z.infer<typeof backtestAnswer>

/** Half of the value held in each token. */
function benchmarkOf(
  { startPrice, endPrice }: Replayed,
  { startValueUsd, quoteUsd }: AboutBacktest,
): Answer['hodlBenchmark'] {
  const quoteGrew = typeof quoteUsd === 'number' ? 1 : (quoteUsd.at(-1) ?? 0) / (quoteUsd[0] ?? 1)
  const growth = (quoteGrew * (1 + endPrice / startPrice)) / 2
  return { startValueUsd, endValueUsd: figure(startValueUsd * growth), returnPct: figure((growth - 1) * 100) }
}

function rowOf(
  { rangePct, rebalanceThresholdPct }: BacktestStrategy,
  result: StrategyResult,
  { isGasKnown }: AboutBacktest,
): Answer['strategies'][number] {
  return {
    name: result.name,
    feesEarnedUsd: figure(result.feesEarnedUsd),
    ilCostUsd: figure(result.ilCostUsd),
    rebalanceCount: result.rebalances.length,
    rebalanceGasCostUsd: isGasKnown ? figure(result.rebalanceGasUsd) : null,
    endValueUsd: figure(result.endValueUsd),
    netReturnPct: figure(result.netReturnPct),
    vsHodlPct: figure(result.vsHodlPct),
    inRangePct: figure(result.inRangePct),
    sharpeRatio: result.sharpeRatio === null ? null : figure(result.sharpeRatio),
    rangePct,
    rebalanceThresholdPct,
    feeUncertaintyPct: figure(result.feeUncertaintyPct),
    lvrUsd: figure(result.lvrUsd),
    hodlMoveUsd: figure(result.hodlMoveUsd),
    gasCostUsd: isGasKnown ? figure(result.gasUsd) : null,
    swapCostUsd: figure(result.swapCostUsd),
    vs5050Pct: figure(result.versus5050Pct),
    maxDrawdownPct: figure(result.maxDrawdownPct),
  }
}

/** What must be said of the strategies whose first range, on usable ticks, came out more than a tenth wider or narrower than was asked for. */
export function widthNotes(
  strategies: readonly BacktestStrategy[],
  results: readonly Pick<StrategyResult, 'firstRange'>[],
  { startPrice, tickSpacing }: { readonly startPrice: number; readonly tickSpacing: number | null },
): readonly string[] {
  const off = strategies.flatMap(({ name, rangePct }, index) => {
    const range = results[index]?.firstRange
    if (rangePct === null || range === undefined) return []
    const widthPct = ((range.upper - range.lower) / startPrice) * 100
    return Math.abs(widthPct / rangePct - 1) > mostOff
      ? [`"${name}" is ${shown(widthPct)} % wide, not ${rangePct}`]
      : []
  })
  return off.length === 0 ? [] : [`Ranges of this pool lie on ticks ${tickSpacing ?? 1} apart: ${off.join(', ')}.`]
}

const mostOff = 0.1

function shown(pct: number): number {
  return Number(pct.toPrecision(3))
}

/** What must be said of an amount that is large for the pool: whose own liquidity is most of it, and which rebalances it put off. */
export function amountNotes(results: readonly Amount[]): readonly string[] {
  const large = results.filter(({ firstLiquidityShare }) => firstLiquidityShare > 0.5)
  const late = results.filter(({ putOffSeconds }) => putOffSeconds > 0)
  return [
    ...(large.length === 0
      ? []
      : [
          `The amount is large for this pool: at its price most of the liquidity would be that of ${large.map(named).join(', ')}, and whether so much trade would come is not known.`,
        ]),
    ...(late.length === 0
      ? []
      : [
          `Rebalances were put off, their swaps would have taken over a tenth of the position: ${late.map(lateness).join(', ')}. Swap costs that were put off are not in the result.`,
        ]),
  ]
}

type Amount = Pick<StrategyResult, 'name' | 'firstLiquidityShare' | 'putOffSeconds'>

function named({ name }: Amount): string {
  return `"${name}"`
}

function lateness({ name, putOffSeconds }: Amount): string {
  return `"${name}" for ${Number((putOffSeconds / 3_600).toPrecision(3))} h`
}

/**
 * The strategy that ended with the most, why, and how sure that is: whether its lead is larger than what the fees may be off, in
 * how many starts on a later day it leads too, and whether holding its first tokens was better. Names of strategies are plain by the time they come here.
 */
export function backtestWinner(
  { strategies, startsAt, endsAt, laterWinners }: Pick<Replayed, 'strategies' | 'startsAt' | 'endsAt' | 'laterWinners'>,
  {
    gaps,
    hasAllTrades,
    isGasKnown,
  }: Pick<PoolBars['completeness'], 'gaps' | 'hasAllTrades'> & {
    readonly isGasKnown: boolean
  },
): Answer['winner'] {
  const [best, second] = strategies.toSorted((a, b) => b.endValueUsd - a.endValueUsd)
  if (best === undefined) throw new TypeError('a backtest has a strategy')
  const days = Math.round((endsAt - startsAt) / 86_400)
  const ahead = second === undefined ? null : leadAhead(best.equity, second.equity)
  return {
    strategy: best.name,
    reason:
      `Ended with ${usd(best.endValueUsd)}: fees ${usd(best.feesEarnedUsd)} (+/-${percents(best.feeUncertaintyPct, 1, 'lead')} %), ` +
      `IL ${usd(best.ilCostUsd)}, ${isGasKnown ? `gas ${usd(best.gasUsd)}, ` : ''}swaps ${usd(best.swapCostUsd)}, ` +
      `in range ${best.inRangePct.toFixed(1)} % of the time.`,
    leadUsd: second === undefined ? null : figure(best.endValueUsd - second.endValueUsd),
    ...boundsNamed('leadAheadUsd', ahead),
    caveat: [
      `One past of ${days} days, no forecast.`,
      ...(second === undefined
        ? []
        : [leadOver(best, second), ...aheadWords(ahead, second, days), entryOf(best, laterWinners)]),
      ...(best.vsHodlPct < 0 ? [`It ended ${(-best.vsHodlPct).toFixed(2)} % below its first tokens held.`] : []),
      ...(gaps > 0 ? [`${gaps} hours without data were taken to be quiet.`] : []),
      ...(hasAllTrades ? [] : ['Trades of the period are missing.']),
    ].join(' '),
  }
}

function leadOver(best: StrategyResult, second: StrategyResult): string {
  const lead = best.endValueUsd - second.endValueUsd
  const doubt = doubtUsd(best) + doubtUsd(second)
  const verdict = lead > doubt ? 'more than' : 'within'
  return `The lead over ${second.name}, ${usd(lead)}, is ${verdict} what the fees of both may be off, ${usd(doubt)}.`
}

function aheadWords(ahead: Interval | null, { name }: StrategyResult, days: number): readonly string[] {
  if (ahead === null) return []
  return [
    `Over ${days} more days it is to end ${usd(ahead.low95)} to ${usd(ahead.high95)} above ${name} in 95 of 100 cases.`,
  ]
}

function entryOf({ name }: StrategyResult, laterWinners: readonly string[]): string {
  const starts = laterWinners.length
  if (starts === 0) return 'The day of entry is not in that: the period is too short to try another.'
  const led = laterWinners.filter((winner) => winner === name).length
  return `The day of entry is not in that: of ${starts} starts, each a day later than the one before, it leads in ${led}.`
}

function doubtUsd({ feesEarnedUsd, feeUncertaintyPct }: StrategyResult): number {
  return (feesEarnedUsd * feeUncertaintyPct) / 100
}

function usd(value: number): string {
  return `${value.toFixed(2)} USD`
}

/** What `backtest_lp_strategy` answers. */
export const backtestAnswer = z.object({
  pair: z.string(),
  chain: blockResult.chain,
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
  winner: z.object({
    strategy: z.string(),
    reason: z.string(),
    caveat: z.string(),
    leadUsd: documented(usdResult),
    leadAheadUsdLow95: documented(usdResult),
    leadAheadUsdLow68: documented(usdResult),
    leadAheadUsdHigh68: documented(usdResult),
    leadAheadUsdHigh95: documented(usdResult),
  }),
  timestamp: blockResult.timestamp,
  source: blockResult.source,
  blockNumber: blockResult.blockNumber,
  blockAgeSeconds: blockResult.blockAgeSeconds,
  pool: z.string(),
  ...completenessResult,
})
