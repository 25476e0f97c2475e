import type { BacktestStrategy, StrategyResult } from '@svc/lp-math'
import type * as z from 'zod'
import type { PoolBars } from '@svc/amm'
import type { Replayed } from '../ports/workers.ts'
import type { backtestAnswer } from './backtest-answer.ts'
import { backtestWinner } from './backtest-winner.ts'
import { figure } from './figure.ts'
import { timeOfBar } from './period.ts'

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
