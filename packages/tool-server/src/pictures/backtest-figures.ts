import { showChange, showNumber, showWithError, type WithError } from './show-number.ts'
import { percent, show, type Figures, type Table } from './figures.ts'
import { incomplete, type Completeness } from './range-figures.ts'

/** The words of a result of `backtest_lp_strategy`. */
export function backtestFigures(result: BacktestAnswer): Figures {
  const { pair, chain, fee, period, priceChange, hodlBenchmark, strategies, winner, barsFound = 0 } = result
  const best = strategies.find(({ name }) => name === winner.strategy)
  const span = `${period.start.slice(0, 10)} to ${period.end.slice(0, 10)}`
  return {
    heading: `${pair} on ${chain.name}, fee ${showNumber(fee / 10_000)} %: ${strategies.length} strategies replayed`,
    facts: [
      {
        label: 'Best of them',
        value: winner.strategy,
        detail: best === undefined ? winner.reason : `net ${showChange(best.netReturnPct)} %`,
      },
      ...(best === undefined
        ? []
        : [{ label: 'Its fees', value: `$${feesOf(best).value}`, detail: `± ${feesOf(best).error}` }]),
      {
        label: 'Holding instead',
        value: `${showChange(hodlBenchmark.returnPct)} %`,
        detail: `$${showNumber(hodlBenchmark.startValueUsd)}, half in each token`,
      },
      {
        label: 'Price',
        value: `${showChange(priceChange.changePct)} %`,
        detail: `${showNumber(priceChange.startPrice)} to ${showNumber(priceChange.endPrice)}`,
      },
      { label: 'Replayed', value: `${showNumber(period.days)} days`, detail: `${span}, ${barsFound} bars` },
    ],
    tables: [resultsTable(strategies), costsTable(strategies)],
    chart: `The value of each strategy and of holding from ${span}, each with how far its fees may be off at the end; and the price with the range of the best one. The tables below hold where each ended.`,
    notes: [winner.reason, winner.caveat, ...(result.notes ?? []), ...incomplete(result)],
    method:
      'A replay of what the pool did, nothing drawn at random: own liquidity dilutes its fees, a rebalance pays for gas and for its swap. ' +
      '± is how far the fees may lie off, since a bar hides the way of the price within it. The past promises nothing.',
  }
}

/** What of the result the words need. */
export type BacktestAnswer = {
  readonly pair: string
  readonly chain: { readonly name: string }
  readonly fee: number
  readonly period: { readonly start: string; readonly end: string; readonly days: number }
  readonly priceChange: { readonly startPrice: number; readonly endPrice: number; readonly changePct: number }
  readonly hodlBenchmark: { readonly startValueUsd: number; readonly returnPct: number }
  readonly strategies: readonly StrategyReport[]
  readonly winner: { readonly strategy: string; readonly reason: string; readonly caveat: string }
} & Completeness

type StrategyReport = {
  readonly name: string
  readonly feesEarnedUsd: number
  readonly feeUncertaintyPct: number
  readonly ilCostUsd: number
  readonly lvrUsd: number
  readonly rebalanceCount: number
  readonly gasCostUsd: number | null
  readonly swapCostUsd: number
  readonly endValueUsd: number
  readonly netReturnPct: number
  readonly vsHodlPct: number
  readonly vs5050Pct: number
  readonly inRangePct: number
  readonly sharpeRatio: number | null
  readonly maxDrawdownPct: number
}

function feesOf({ feesEarnedUsd, feeUncertaintyPct }: StrategyReport): WithError {
  return showWithError(feesEarnedUsd, (feesEarnedUsd * feeUncertaintyPct) / 100)
}

function resultsTable(strategies: readonly StrategyReport[]): Table {
  return {
    caption: 'What became of each, in percent',
    columns: [
      'Strategy',
      'Net',
      'Against its own tokens held',
      'Against half and half',
      'In range',
      'Deepest fall',
      'Sharpe',
    ],
    rows: strategies.map((one) => [
      one.name,
      showChange(one.netReturnPct),
      showChange(one.vsHodlPct),
      showChange(one.vs5050Pct),
      percent(one.inRangePct / 100),
      showNumber(one.maxDrawdownPct),
      show(one.sharpeRatio, showNumber),
    ]),
  }
}

function costsTable(strategies: readonly StrategyReport[]): Table {
  return {
    caption: 'What it earned and cost, in US dollars',
    columns: ['Strategy', 'End', 'Fees', '± of the fees', 'IL', 'LVR', 'Swaps', 'Gas', 'Rebalances'],
    rows: strategies.map((one) => [
      one.name,
      showNumber(one.endValueUsd),
      feesOf(one).value,
      feesOf(one).error,
      ...[one.ilCostUsd, one.lvrUsd, one.swapCostUsd].map(showNumber),
      show(one.gasCostUsd, showNumber),
      showNumber(one.rebalanceCount),
    ]),
  }
}
