import { barsFrom } from '@svc/lp-math'
import type { CsvPool } from './csv-pool.ts'

/** The pool with the bars of its last days alone; as it is where it has no more. */
export function lastDays(pool: CsvPool, days: number): CsvPool {
  const { bars } = pool
  const start = bars.startsAt.length - Math.round((days * 86_400) / bars.barSeconds)
  return start <= 0 ? pool : { ...pool, bars: barsFrom(bars, start) }
}
