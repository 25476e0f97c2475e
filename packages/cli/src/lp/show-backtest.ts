import type * as z from 'zod'
import type { backtestForm } from './answer-forms.ts'
import { table } from './table.ts'

/** A backtest for a person: a table with error bars, then what it rests on. */
export function showBacktest(report: z.infer<typeof backtestForm>): string {
  const { pair, pool, fee, period, priceChange, hodlBenchmark, winner } = report
  const rows = report.strategies.map((one) => [
    one.name,
    `${usd(one.feesEarnedUsd)} ± ${usd((one.feesEarnedUsd * one.feeUncertaintyPct) / 100)}`,
    usd(-one.ilCostUsd),
    usd(-one.lvrUsd),
    usd(-one.swapCostUsd - (one.gasCostUsd ?? 0)),
    String(one.rebalanceCount),
    usd(one.endValueUsd),
    pct(one.netReturnPct),
    pct(one.vsHodlPct),
    pct(one.inRangePct),
    pct(-one.maxDrawdownPct),
    one.sharpeRatio === null ? '-' : one.sharpeRatio.toFixed(2),
  ])
  return [
    `${pair}, ${pool === undefined ? '' : `pool ${pool}, `}fee ${fee / 10_000} %, ${period.start} to ${period.end} (${period.days.toFixed(2)} days)`,
    `Price ${price(priceChange.startPrice)} to ${price(priceChange.endPrice)}, ${pct(priceChange.changePct)}. ` +
      `Half and half, held: ${usd(hodlBenchmark.startValueUsd)} to ${usd(hodlBenchmark.endValueUsd)} USD, ${pct(hodlBenchmark.returnPct)}.`,
    '',
    table(columns, rows).trimEnd(),
    '',
    `Best: ${winner.strategy}. ${winner.reason} ${winner.caveat}`,
    'USD. LVR is another view of the loss, no part of the sum; "vs held" is against the first position\'s tokens.',
    ...report.notes.map((note) => `- ${note}`),
    '',
  ].join('\n')
}

const columns = [
  'strategy',
  'fees',
  'IL',
  'LVR',
  'swaps, gas',
  'moves',
  'end',
  'net',
  'vs held',
  'in range',
  'drawdown',
  'Sharpe',
]

function usd(value: number): string {
  return (value + 0).toFixed(2).replace(/^-(0\.00)$/, '$1')
}

function pct(value: number): string {
  return `${value.toFixed(2).replace(/^-(0\.00)$/, '$1')} %`
}

function price(value: number): string {
  return String(Number(value.toPrecision(7)))
}
