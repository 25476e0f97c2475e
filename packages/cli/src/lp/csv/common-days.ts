import { barsFrom } from '@svc/lp-math'
import { UsageError } from '../../usage-error.ts'
import type { CsvPool } from './csv-pool.ts'

/**
 * The pools with those bars alone that lie in the last days that all their files hold. Throws `UsageError` where these are fewer than
 * a comparison needs, and the files hold more.
 */
export function commonDays(pools: readonly CsvPool[], days: number): CommonDays {
  const spans = pools.map(spanOf)
  const to = Math.min(...spans.map((span) => span.to))
  const from = Math.max(to - days * 86_400, ...spans.map((span) => span.from))
  const least = Math.min(leastDays * 86_400, ...spans.map((span) => span.to - span.from))
  if (to - from < least) {
    const held = pools.map(({ file }, index) => `${file} ${words(spans[index] ?? { from, to })}`)
    throw new UsageError(
      `the files of svc lp fee-tier hold ${to > from ? `${daysOf({ from, to })} days` : 'no day'} in common, and a comparison needs ${leastDays}: ${held.join(', ')}`,
    )
  }
  return { pools: pools.map((pool) => within(pool, { from, to })), span: words({ from, to }) }
}

export type CommonDays = {
  readonly pools: readonly CsvPool[]
  /** From when to when, for a person. */
  readonly span: string
}

/** Unix seconds. */
type Span = { readonly from: number; readonly to: number }

/** Of fewer the tier is reported that is usual. */
const leastDays = 7

function spanOf({ bars: { startsAt, barSeconds } }: CsvPool): Span {
  return { from: startsAt[0] ?? 0, to: (startsAt.at(-1) ?? 0) + barSeconds }
}

/** Bars of a length that no day is a multiple of belong where their middle lies. */
function within(pool: CsvPool, { from, to }: Span): CsvPool {
  const { bars } = pool
  const until = (time: number) => bars.startsAt.filter((start) => start + bars.barSeconds / 2 < time).length
  return { ...pool, bars: barsFrom(bars, until(from), until(to)) }
}

function words(span: Span): string {
  const minute = (seconds: number) => `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`
  return `${minute(span.from)} to ${minute(span.to)} (${daysOf(span)} days)`
}

function daysOf({ from, to }: Span): number {
  return Math.floor((to - from) / 8_640) / 10
}
