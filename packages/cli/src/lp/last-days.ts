import { barsFrom } from '@svc/lp-math'
import type { CsvPool } from './csv-pool.ts'

/** The pool with the bars of its last days alone; `null` where it has fewer days. */
export function lastDays(pool: CsvPool, days: number): CsvPool | null {
  const { bars } = pool
  const count = Math.round((days * 86_400) / bars.barSeconds)
  const start = bars.startsAt.length - count
  return count < 1 || start < 0 ? null : { ...pool, bars: barsFrom(bars, start) }
}
