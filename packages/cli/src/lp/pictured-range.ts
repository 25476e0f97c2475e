import type { RangeResult } from '@svc/tool-server'
import type { RangeReport } from './optimize-csv.ts'

/** A choice of range as its picture takes it. Fees whose error nobody knows may be all wrong. */
export function picturedRange({ projections, ...report }: RangeReport): RangeResult {
  return {
    ...report,
    chain: { name: 'a file of bars' },
    projections: { ...projections, feeUncertaintyPct: projections.feeUncertaintyPct ?? 100 },
  }
}
