import type { RangeSurroundings } from './range-surroundings.ts'

/** The members of an `optimize_lp_range` result that the picture shows. */
export type RangeResult = {
  readonly pair: string
  readonly chain: { readonly name: string }
  readonly fee: number
  readonly currentPrice: number
  readonly volatility: {
    readonly source: string
    readonly annualized: number
    readonly standardError: number
    readonly lookback: string
  }
  readonly optimalRange: PriceRange
  readonly projections: RangeYields & RangeErrors & { readonly feeUncertaintyPct: number; readonly gasApr: number }
  readonly candidateRanges: readonly (PriceRange & RangeYields & RangeErrors & { readonly label: string })[]
  readonly sensitivity: readonly (RangeYields & { readonly annualized: number })[]
  readonly simulation?:
    | { readonly seed: number; readonly paths: number; readonly maxStandardErrorsOff: number }
    | undefined
} & Partial<RangeSurroundings>

export type PriceRange = { readonly priceLower: number; readonly priceUpper: number | 'Infinity' }

export type RangeYields = {
  readonly expectedFeeApr: number
  readonly expectedIlPct: number
  readonly expectedNetApr: number
  readonly inRangeProbability: number
  readonly lvrApr: number
}

/** Standard errors: of the net by the fees and by the volatility, of the others by the volatility. */
export type RangeErrors = {
  readonly expectedNetAprError: number
  readonly inRangeProbabilityError: number
  readonly expectedIlPctError: number
}

/** Whether fees pay for LVR and gas in none of the ranges compared: the title says so before it names one. */
export function noRangePays({ projections, candidateRanges }: Nets): boolean {
  return [projections, ...candidateRanges].every(({ expectedNetApr }) => expectedNetApr < 0)
}

type Nets = Pick<RangeResult, 'projections' | 'candidateRanges'>

export const noRangePaysWords = 'no range is expected to pay'
