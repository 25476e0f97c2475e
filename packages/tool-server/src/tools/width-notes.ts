import type { BacktestStrategy, StrategyResult } from '@svc/lp-math'

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
