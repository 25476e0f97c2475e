import type { RangeResult } from './range/range-result.ts'

/** Whether fees pay for LVR and gas in none of the ranges compared: the title says so before it names one. */
export function noRangePays({ projections, candidateRanges }: Nets): boolean {
  return [projections, ...candidateRanges].every(({ expectedNetApr }) => expectedNetApr < 0)
}

type Nets = Pick<RangeResult, 'projections' | 'candidateRanges'>

export const noRangePaysWords = 'no range is expected to pay'
