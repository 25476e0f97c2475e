import * as z from 'zod'
import type { PoolBars } from '@svc/amm'
import { invalidField, timeInput } from './params.ts'
import { notesResult } from './results.ts'

/**
 * The period and bar of a history. Without `start` the week (hours) or the thirty days (days) before `end`, without `end` up to now
 * (`nowMs`, Unix milliseconds). Throws `VALIDATION_FAILED`.
 */
export function periodOf(input: PeriodInput, nowMs: number): Period {
  const now = Math.floor(nowMs / 1000)
  const barSeconds = secondsOfBar[input.interval]
  const to = input.end ?? now
  const from = input.start ?? to - usualSeconds[input.interval]
  if (to > now) throw invalidField('end', 'This moment has not come yet.', 'a time up to now')
  if (from >= to) throw invalidField('start', 'The period would be empty.', 'a time before end')
  if ((to - from) / barSeconds > mostPoints) {
    throw invalidField('start', 'The period has too many points.', `a period of at most ${mostPoints} intervals`)
  }
  return { from, to, barSeconds }
}

export const periodInput = {
  start: timeInput.optional().describe('ISO 8601; default 7 (1h) or 30 (1d) days; at most 1000 bars'),
  end: timeInput.optional().describe('Default now'),
  interval: z.enum(['1h', '1d'], { error: 'Accepted: 1h or 1d' }).default('1h'),
}

export type PeriodInput = z.output<z.ZodObject<typeof periodInput>>

/** Unix seconds. */
export type Period = { readonly from: number; readonly to: number; readonly barSeconds: number }

/** Where the columns of a history begin: their entries follow each other without a break. */
export const columnsResult = { start: z.string(), intervalSeconds: z.int() }

export function columnsOf({ startsAt, barSeconds }: PoolBars['bars']) {
  return { start: timeOfBar(startsAt[0] ?? 0), intervalSeconds: barSeconds }
}

/** How much of the period is known: bars that the source has nothing of are not found. */
export const completenessResult = {
  barsExpected: z.int(),
  barsFound: z.int(),
  isEstimate: z.boolean(),
  notes: notesResult,
}

export function completenessOf({ completeness, isEstimate }: PoolBars) {
  const { barsExpected, barsFound, gaps, note } = completeness
  return { barsExpected, barsFound: barsFound - gaps, isEstimate, notes: note === null ? [] : [note] }
}

/** When a bar begins, as ISO 8601. */
export function timeOfBar(startsAt: number): string {
  return new Date(startsAt * 1000).toISOString()
}

const secondsOfBar = { '1h': 3_600, '1d': 86_400 } as const
const usualSeconds = { '1h': 7 * 86_400, '1d': 30 * 86_400 } as const
const mostPoints = 1_000
