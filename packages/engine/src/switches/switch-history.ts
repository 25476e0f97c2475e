import * as z from 'zod'

/**
 * The form in which a switch's file keeps the times that have ended, oldest first: the audit log is written by the server
 * alone, so what begins and ends between two of its looks stands here until it looks again. Absent in older files.
 */
export function switchHistory<Begun extends z.ZodType>(begun: Begun) {
  return z.array(z.object({ begun, end: z.object({ by: z.string(), at: z.string() }) })).default([])
}

/** The history with one more time at its end; no more than the newest 100 are kept. */
export function withEnded<Begun>(
  past: readonly PastTime<Begun>[],
  begun: Begun,
  { by, at }: SwitchEnd,
): PastTime<Begun>[] {
  return [...past.slice(1 - mostKept), { begun, end: { by, at } }]
}

/** How a switch was set, and how that ended. */
export type PastTime<Begun> = { readonly begun: Begun; readonly end: SwitchEnd }

/** Who ended it, and when (ISO 8601). */
export type SwitchEnd = { readonly by: string; readonly at: string }

const mostKept = 100
