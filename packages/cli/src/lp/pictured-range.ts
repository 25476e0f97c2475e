import type { RangeResult } from '@svc/tool-server'
import { pastPrices } from '@svc/tool-server/analysis'
import type { CsvPool } from './csv/csv-pool.ts'
import type { RangeReport } from './csv/optimize-csv.ts'

/** A choice of range as its picture takes it, with the file's prices until its end. Fees whose error nobody knows may be all wrong. */
export function picturedRange({ projections, ...report }: RangeReport, pool: PricedBars): RangeResult {
  return {
    ...report,
    chain: { name: 'a file of bars' },
    projections: { ...projections, feeUncertaintyPct: projections.feeUncertaintyPct ?? 100 },
    past: pastOf(pool),
  }
}

type PricedBars = Pick<CsvPool, 'bars' | 'baseToken' | 'decimals0' | 'decimals1'>

function pastOf({ bars, baseToken, decimals0, decimals1 }: PricedBars) {
  const scale = 10 ** (decimals0 - decimals1)
  const { startsAt, barSeconds } = bars
  const closes = Array.from(bars.closeTick, (tick) =>
    baseToken === 0 ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale,
  )
  return pastPrices({ closes, startsAt, barSeconds, nowSeconds: (startsAt.at(-1) ?? 0) + barSeconds })
}
