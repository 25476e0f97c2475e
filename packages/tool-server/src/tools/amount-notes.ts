import type { StrategyResult } from '@svc/lp-math'

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
