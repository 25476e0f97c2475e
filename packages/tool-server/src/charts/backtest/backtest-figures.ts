import {
  notesForPeople,
  showChange,
  showNumber,
  showWithError,
  type WithError,
  columnOf,
  show,
  type Figures,
  type Table,
} from '../figures.ts'
import { incomplete, type Completeness } from '../range/range-figures.ts'

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
    chart: `The value of each strategy and of holding from ${span}, each with how far its fees may be off at the end; the price with the range of the one that is chosen, the best at first; and its fees and impermanent loss until each time. The tables below hold where each ended.`,
    notes: [winner.reason, winner.caveat, ...notesForPeople(result.notes ?? []), ...incomplete(result)],
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

function feesOf({ feesEarnedUsd, feeUncertaintyPct }: Fees): WithError {
  return showWithError(feesEarnedUsd, feesOff({ feesEarnedUsd, feeUncertaintyPct }))
}

function feesOff({ feesEarnedUsd, feeUncertaintyPct }: Fees): number {
  return (feesEarnedUsd * feeUncertaintyPct) / 100
}

type Fees = Pick<StrategyReport, 'feesEarnedUsd' | 'feeUncertaintyPct'>

/** Every figure of a column to one place; what is not known stands as such. */
function cellsOf(
  strategies: readonly StrategyReport[],
  columns: readonly (readonly [read: (one: StrategyReport) => number | null, kind: 'value' | 'change'])[],
): readonly string[][] {
  const shown = columns.map(([read, kind]) => {
    const column = columnOf(strategies.map((one) => ({ value: read(one) })))
    return (one: StrategyReport) => show(read(one), column[kind])
  })
  return strategies.map((one) => shown.map((cell) => cell(one)))
}

function resultsTable(strategies: readonly StrategyReport[]): Table {
  const cells = cellsOf(strategies, [
    [(one) => one.netReturnPct, 'change'],
    [(one) => one.vsHodlPct, 'change'],
    [(one) => one.vs5050Pct, 'change'],
    [(one) => one.inRangePct, 'value'],
    [(one) => one.maxDrawdownPct, 'value'],
    [(one) => one.sharpeRatio, 'value'],
  ])
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
    rows: strategies.map(({ name }, index) => [name, ...(cells[index] ?? [])]),
  }
}

function costsTable(strategies: readonly StrategyReport[]): Table {
  const fees = columnOf(strategies.map((one) => ({ value: one.feesEarnedUsd, error: feesOff(one) })))
  const cells = cellsOf(strategies, [
    [(one) => one.ilCostUsd, 'value'],
    [(one) => one.lvrUsd, 'value'],
    [(one) => one.swapCostUsd, 'value'],
    [(one) => one.gasCostUsd, 'value'],
    [(one) => one.rebalanceCount, 'value'],
  ])
  const end = columnOf(strategies.map((one) => ({ value: one.endValueUsd })))
  return {
    caption: 'What it earned and cost, in US dollars',
    columns: ['Strategy', 'End', 'Fees', '± of the fees', 'IL', 'LVR', 'Swaps', 'Gas', 'Rebalances'],
    rows: strategies.map((one, index) => [
      one.name,
      end.value(one.endValueUsd),
      fees.value(one.feesEarnedUsd),
      fees.error(feesOff(one)),
      ...(cells[index] ?? []),
    ]),
  }
}
