import { type PoolBars, ToolError } from '@svc/amm'
import { invalidField } from './params.ts'
import { type Period, timeOfBar } from './period.ts'

/**
 * The whole hours of a backtest, both ends rounded down, and one hour before them: a position is opened at the close of a bar. `end`
 * defaults to now. Throws `VALIDATION_FAILED`, and `INSUFFICIENT_HISTORY` for a period that is too short whatever is known of it.
 */
export function backtestPeriod(startTime: number, endTime: number | undefined, nowMs: number): Period {
  const now = Math.floor(nowMs / 1000)
  const end = endTime ?? now
  if (end > now) throw invalidField('endTime', 'This moment has not come yet.', 'a time up to now')
  if (startTime >= end) throw invalidField('startTime', 'The period would be empty.', 'a time before endTime')
  const [from, to] = [wholeHour(startTime), wholeHour(end)]
  if (to - from > mostDays * daySeconds) {
    throw invalidField('startTime', 'The period is too long.', `at most ${mostDays} days before the end`)
  }
  requireDays((to - from) / daySeconds, {
    subject: 'The period is',
    accepted: `a time ${leastDays} days before the end`,
    suggestion: `Begin at least ${leastDays} days before the end.`,
  })
  return { from: from - barSeconds, to, barSeconds }
}

/** Throws `INSUFFICIENT_HISTORY` where bars, those without data left out, make less than 14 days. */
export function requireKnownDays({ bars, completeness }: PoolBars): void {
  const hours = Math.max(0, bars.startsAt.length - 1 - completeness.gaps)
  const knownFrom = bars.startsAt[0]
  requireDays(hours / 24, {
    subject: 'The known past of this pool in the period is',
    accepted: `a period with ${leastDays} known days, or another pool or fee`,
    note: completeness.note,
    ...(knownFrom !== undefined && { knownFrom: timeOfBar(knownFrom) }),
  })
}

const barSeconds = 3_600
const daySeconds = 86_400
const leastDays = 14
/** Keeps what one strategy takes short. */
const mostDays = 366

function wholeHour(seconds: number): number {
  return Math.floor(seconds / barSeconds) * barSeconds
}

type Wanted = {
  readonly subject: string
  readonly accepted: string
  readonly note?: string | null
  readonly knownFrom?: string
  /** Absent where that of the code says it. */
  readonly suggestion?: string
}

function requireDays(days: number, { subject, accepted, note = null, suggestion, ...found }: Wanted): void {
  if (days >= leastDays) return
  const daysFound = Math.floor(days * 100) / 100
  const message = `${subject} ${daysFound} days; ${leastDays} are needed.${note === null ? '' : ` ${note}`}`
  throw new ToolError('INSUFFICIENT_HISTORY', message, {
    details: [{ field: 'startTime', message, accepted, daysFound, daysNeeded: leastDays, ...found }],
    ...(suggestion !== undefined && { suggestion }),
  })
}
