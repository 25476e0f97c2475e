import type { RangeAnswer, RangeErrors, RangeYields } from '../../analysis/range/range-answer.ts'
import type { RangeResult } from './range-surroundings.ts'
import {
  columnOf,
  type Column,
  showError,
  showInterval,
  showNumber,
  showWithError,
  type WithError,
  show,
  type Figures,
  type Table,
} from '../figures.ts'

/** The words of a result of `optimize_lp_range` over so many days; also of one whose simulation did not end in time. */
export function rangeFigures(result: AnsweredRange, horizonDays: number): Figures {
  const { pair, chain, fee, projections, optimalRange, currentPrice, simulation, volatility } = result
  const [token0 = 'token0', token1 = 'token1'] = pair.split('/')
  const days = `${showNumber(horizonDays)} days`
  const inRange = inPercent(projections.inRangeProbability, projections.inRangeProbabilityError)
  const fees = showWithError(
    projections.expectedFeeApr,
    (projections.expectedFeeApr * projections.feeUncertaintyPct) / 100,
  )
  const loss = showWithError(projections.expectedIlPct, projections.expectedIlPctError)
  const net = showWithError(projections.expectedNetApr, projections.expectedNetAprError)
  const sigma = inPercent(volatility.annualized, volatility.standardError)
  return {
    heading: `${pair} on ${chain.name}, fee ${showNumber(fee / 10_000)} %${noRangePays(result) ? `: ${noRangePaysWords}` : ''}`,
    facts: [
      {
        label: `Range, ${token1} per ${token0}`,
        value: `${showNumber(optimalRange.priceLower ?? 0)} to ${upperOf(optimalRange)}`,
        detail: `price now ${showNumber(currentPrice)}`,
      },
      {
        label: 'Time in range',
        value: `${inRange.value} %`,
        detail: `± ${inRange.error} by the volatility; of ${days}`,
      },
      {
        label: 'Fees a year',
        value: `${fees.value} %`,
        detail:
          projections.expectedFeeApr > 0
            ? `± ${fees.error}${inCases(projections.expectedFeeAprLow95, projections.expectedFeeAprHigh95)}: trade may change`
            : 'none were earned: trade may change',
      },
      {
        label: 'Impermanent loss',
        value: `${loss.change} %`,
        detail: `± ${loss.error} by the volatility; expected in ${days}`,
      },
      {
        label: 'LVR a year',
        value: `${showNumber(projections.lvrApr)} %`,
        detail: `loss versus rebalancing, off the fees; gas ${showNumber(projections.gasApr)} %`,
      },
      {
        label: 'Net a year',
        value: `${net.change} %`,
        detail: `± ${net.error}${inCases(projections.expectedNetAprLow95, projections.expectedNetAprHigh95)}: fees less LVR less gas`,
      },
    ],
    tables: [rangesTable(result, days), volatilityTable(result, days), ...simulationTables(simulation)],
    chart: `The price may go from ${showNumber(currentPrice)} over ${days} as a log-normal price does; the ranges compared, with a triangle where one goes on beyond the scale; the net yield of each as a bar with whiskers over 68 and 95 of 100 cases to come, ± one standard error in the tables; fees of each against its loss. The tables below hold the same figures.`,
    notes: [...(result.notes ?? []), ...incomplete(result)],
    method:
      `Volatility ${sigma.value} % ± ${sigma.error} a year (${volatility.source}, ${volatility.lookback})${inCases(inPercents(volatility.annualizedLow95), inPercents(volatility.annualizedHigh95))} over these days. ` +
      (simulation === undefined
        ? 'No simulation. '
        : `${simulation.paths.toLocaleString('en-US')} simulated paths, seed ${simulation.seed}. `) +
      (result.methodology ?? ''),
  }
}

/** Where it is to be found in 95 of 100 cases, after a figure with its error. */
function inCases(low: number | null, high: number | null): string {
  const interval = showInterval(low, high)
  return interval === null ? '' : `, 95 %: ${interval}`
}

/** What the words need beside what the picture needs. */
export type AnsweredRange = RangeResult & { readonly methodology?: string } & Completeness

/** Whether fees pay for LVR and gas in none of the ranges compared: the title says so before it names one. */
export function noRangePays({ projections, candidateRanges }: Nets): boolean {
  return [projections, ...candidateRanges].every(({ expectedNetApr }) => expectedNetApr < 0)
}

type Nets = Pick<RangeAnswer, 'projections' | 'candidateRanges'>

export const noRangePaysWords = 'no range is expected to pay'

export type Completeness = {
  readonly notes?: readonly string[]
  readonly barsExpected?: number
  readonly barsFound?: number
  readonly isEstimate?: boolean
}

/** What is missing from the data, and that it makes estimates of the figures. */
export function incomplete({ barsExpected = 0, barsFound = 0, isEstimate = false }: Completeness): string[] {
  return [
    ...(barsFound < barsExpected ? [`Bars found: ${barsFound} of ${barsExpected}.`] : []),
    ...(isEstimate ? ['These figures are an estimate.'] : []),
  ]
}

function upperOf({ priceUpper }: RangeAnswer['optimalRange']): string {
  return priceUpper === null ? 'no upper bound' : showNumber(priceUpper)
}

const yieldColumns = (days: string) => [
  'In range',
  'Fees, % a year',
  `IL, % in ${days}`,
  'LVR, % a year',
  'Net, % a year',
]

type Row = RangeYields & Partial<RangeErrors>

/** The yields of all rows of a table, one precision for each column. */
function yieldCells(rows: readonly Row[]): readonly string[][] {
  const columns = {
    inRange: columnOf(rows.map((one) => inRangeOf(one))),
    fees: columnOf(rows.map((one) => ({ value: one.expectedFeeApr }))),
    il: columnOf(rows.map((one) => ({ value: one.expectedIlPct, error: one.expectedIlPctError }))),
    lvr: columnOf(rows.map((one) => ({ value: one.lvrApr }))),
    net: columnOf(rows.map((one) => ({ value: one.expectedNetApr, error: one.expectedNetAprError }))),
  }
  const withError = (text: string, column: Column, error: number | undefined) =>
    error === undefined ? text : `${text} ± ${column.error(error)}`
  return rows.map((one) => {
    const { value, error } = inRangeOf(one)
    return [
      withError(`${columns.inRange.value(value)} %`, columns.inRange, error),
      columns.fees.value(one.expectedFeeApr),
      withError(columns.il.change(one.expectedIlPct), columns.il, one.expectedIlPctError),
      columns.lvr.value(one.lvrApr),
      withError(columns.net.change(one.expectedNetApr), columns.net, one.expectedNetAprError),
    ]
  })
}

function inRangeOf({ inRangeProbability: share, inRangeProbabilityError: off }: Row) {
  return { value: 100 * share, error: off === undefined ? undefined : 100 * off }
}

function inPercent(share: number, off: number): WithError {
  return showWithError(100 * share, 100 * off)
}

function inPercents(share: number | null): number | null {
  return share === null ? null : 100 * share
}

function rangesTable({ optimalRange, projections, candidateRanges, currentPrice }: AnsweredRange, days: string): Table {
  const ranges = [{ ...optimalRange, ...projections, label: 'chosen' }, ...candidateRanges]
  const cells = yieldCells(ranges)
  // A price far from that of now has more digits, or fewer, not another precision: that of the narrowest range's width.
  const widths = ranges.flatMap(({ priceLower, priceUpper }) =>
    priceUpper === null ? [] : [priceUpper - (priceLower ?? 0)],
  )
  const price = columnOf([{ value: currentPrice, error: Math.min(currentPrice / 100, ...widths) }])
  return {
    caption: 'Ranges compared',
    columns: ['Range', 'From', 'To', ...yieldColumns(days)],
    rows: ranges.map(({ label, priceLower, priceUpper }, index) =>
      [label, price.value(priceLower ?? 0), priceUpper === null ? 'no upper bound' : price.value(priceUpper)].concat(
        cells[index] ?? [],
      ),
    ),
  }
}

function volatilityTable({ projections, volatility, sensitivity }: AnsweredRange, days: string): Table {
  const rows = [...sensitivity, { ...projections, annualized: volatility.annualized }].toSorted(
    (one, other) => one.annualized - other.annualized,
  )
  const cells = yieldCells(rows)
  return {
    caption: 'The chosen range at other volatilities',
    columns: ['Volatility a year', ...yieldColumns(days)],
    rows: rows.map(({ annualized }, index) => [`${(100 * annualized).toFixed(1)} %`].concat(cells[index] ?? [])),
  }
}

function simulationTables(simulation: RangeResult['simulation']): Table[] {
  const estimates = Object.entries<Record<string, number>>(simulation?.estimates ?? {})
  const checks = estimates.filter(([, check]) => check['standardError'] !== undefined)
  if (checks.length === 0) return []
  return [
    {
      caption: 'Closed forms, checked by simulation',
      columns: ['Quantity', 'Closed form', 'Simulated', 'Standard error', 'Standard errors apart'],
      rows: checks.map(([quantity, check]) => {
        const { analytic, simulated, standardError = 0, standardErrorsOff } = check
        const toItsPlace = (value: number) => showWithError(value, standardError)
        const figures = [analytic, simulated].map((value) => show(value, (known) => toItsPlace(known).value))
        return [quantityNames[quantity] ?? quantity].concat(
          figures,
          toItsPlace(0).error,
          show(standardErrorsOff, showError),
        )
      }),
    },
  ]
}

const quantityNames: Readonly<Record<string, string>> = {
  inRangeProbability: 'Share of time in range',
  terminalInRangeProbability: 'In range at the end',
  stayInRangeProbability: 'Never out of range',
  expectedIlPct: 'Impermanent loss, %',
}
