import type { Interval } from '@svc/lp-math'
import type * as z from 'zod'

/**
 * Percents for a sentence. Beyond `most` their size says nothing but that they are large, and twenty digits hide even that: a lead is reported up to
 * ten times the whole, a yield of a year up to ten thousand times, which new pools do reach for some days.
 */
export function percents(value: number, digits: number, most: keyof typeof limits): string {
  const limit = limits[most]
  if (value > limit) return `over ${limit.toLocaleString('en-US')}`
  return value < -limit ? `under -${limit.toLocaleString('en-US')}` : value.toFixed(digits)
}

const limits = { lead: 1_000, yield: 1_000_000 } as const

/** The bounds of an interval as a result names them; null where nothing forecasts it. */
export function boundsNamed<const Name extends string>(name: Name, interval: Interval | null | undefined) {
  const of = (value: number | undefined) => (value === undefined ? null : figure(value))
  return {
    [`${name}Low95`]: of(interval?.low95),
    [`${name}Low68`]: of(interval?.low68),
    [`${name}High68`]: of(interval?.high68),
    [`${name}High95`]: of(interval?.high95),
  } as { readonly [Bound in `${Name}${'Low' | 'High'}${68 | 95}`]: number | null }
}

/** Six digits: what a model or a person does with a figure. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6)) + 0
}

/** Ten digits: more than any figure of a model is worth, and the same on every machine. Adding 0 makes a negative zero a plain one. */
export function figure(value: number): number {
  return Number(value.toPrecision(10)) + 0
}

/** A member that docs/analytics.md or a description beside it names and the listed schemas, for which every client pays, leave out. */
export function documented<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ unlisted: true })
}
