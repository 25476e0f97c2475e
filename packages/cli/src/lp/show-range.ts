import type * as z from 'zod'
import type { rangeForm } from './answer-forms.ts'
import { table } from './table.ts'

/** A choice of range for a person: the range, those beside it with error bars, and what it rests on. */
export function showRange(report: z.infer<typeof rangeForm>): string {
  const { pair, pool, fee, currentPrice, volatility, optimalRange, projections, simulation, sensitivity } = report
  const rows = [{ label: 'chosen', ...optimalRange, ...projections }, ...report.candidateRanges].map((one) => [
    one.label,
    price(one.priceLower),
    price(one.priceUpper),
    `${share(one.inRangeProbability)} ± ${(100 * one.inRangeProbabilityError).toFixed(1)}`,
    pct(one.expectedFeeApr),
    `${pct(one.expectedIlPct)} ± ${one.expectedIlPctError.toFixed(2)}`,
    pct(one.lvrApr),
    `${pct(one.expectedNetApr)} ± ${one.expectedNetAprError.toFixed(2)}`,
  ])
  const { ilPctPercentiles: il, ilPctPercentileErrors: errors } = simulation.estimates
  const sigma = `${(100 * volatility.annualized).toFixed(1)} ± ${(100 * volatility.standardError).toFixed(1)} %`
  return [
    `${pair}, ${pool === undefined ? '' : `pool ${pool}, `}fee ${fee / 10_000} %, price ${price(currentPrice)}, volatility ${sigma} a year (${volatility.source}, ${volatility.lookback})`,
    '',
    table(['range', 'from', 'to', 'time in', 'fee APR', 'IL', 'LVR', 'net APR'], rows).trimEnd(),
    '',
    `Chosen: ticks ${optimalRange.tickLower} to ${optimalRange.tickUpper} of the pool; in range at the horizon ` +
      `${share(projections.terminalInRangeProbability)}, never left ${share(projections.stayInRangeProbability)}; ` +
      `LVR ${pct(projections.lvrApr)} a year, of which arbitrageurs keep ${pct(projections.arbitrageLossApr)}.`,
    `IL of 9 paths in 10 between ${pct(il.p5)} and ${pct(il.p95)} (± ${errors.p5.toFixed(2)}, ${errors.p95.toFixed(2)}).`,
    ...sensitivity.map(
      (one) =>
        `At a volatility of ${share(one.annualized)}: fees ${pct(one.expectedFeeApr)}, net ${pct(one.expectedNetApr)}.`,
    ),
    `Simulation: ${simulation.paths} paths, seed ${simulation.seed}; at most ${simulation.maxStandardErrorsOff.toFixed(1)} of its standard errors off the closed forms.`,
    ...report.notes.map((note) => `- ${note}`),
    '',
  ].join('\n')
}

function price(value: number | 'Infinity'): string {
  return value === 'Infinity' ? 'Infinity' : String(Number(value.toPrecision(7)))
}

function pct(value: number): string {
  return `${value.toFixed(2)} %`
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`
}
