import type { AuditEvent, AuditLog } from '../audit/audit.ts'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import type { CircuitBreaker, Opening } from './circuit-breaker.ts'
import type { PipelineLog } from '../call/refusal.ts'
import { type PastTime, type Pause, readPause, readResume, type SwitchEnd } from './kill-switch.ts'
import { type Policy, policyHash } from '../policy/policy.ts'
import { readSwitch, type SwitchPlace, writeSwitch } from './switch-text.ts'

/**
 * Writes into the audit log what became of the kill switch, the circuit breaker and the policy since it last looked, also
 * while no server ran: the log has one writer, and the commands that move the switches are not it. They keep what began and
 * ended meanwhile in the switches' files. What is recorded stands in `recorded.json`; a crash between the two repeats a line
 * and loses none. Two looks never overlap.
 */
export function createSwitchRecorder(options: SwitchRecorderOptions): SwitchRecorder {
  let recorded: Recorded | null = null
  let inForce = options.policy
  let problems: readonly string[] = []
  const inTurn = createMutex()

  const look = async (): Promise<void> => {
    // What servers share another one may have recorded meanwhile.
    if (recorded === null || options.sharedSwitches !== undefined) recorded = await readRecorded(options)
    const seen = { ...(await observe({ ...options, policy: inForce })), policyProblems: problems }
    const events = changesBetween(recorded, seen)
    if (events.length === 0) return
    for (const event of events) {
      await options.audit.append(event)
      // That there is a policy is no news; that it is another one is. A broken file is logged where its name is known.
      const { event: name, ...facts } = event
      const isLoggedElsewhere = name === 'policy.invalid' || name === 'policy.mended'
      if (!isLoggedElsewhere && (name !== 'policy.changed' || facts['from'] !== null)) options.log.warn(name, facts)
    }
    const now = recordOf(seen)
    await writeSwitch(options, 'recorded', JSON.stringify(now))
    recorded = now
  }

  return Object.freeze({
    look: (policy) =>
      inTurn(async () => {
        const before = { inForce, problems }
        if (policy !== undefined) [inForce, problems] = [policy, []]
        await look().catch((error: unknown) => {
          inForce = before.inForce
          problems = before.problems
          throw error
        })
      }),
    policyBroke: (found) =>
      inTurn(async () => {
        problems = found
        await look()
      }),
  })
}

export type SwitchRecorder = {
  /** With a policy, that is the one in force from now on. Rejects when a file cannot be read or written; nothing counts as recorded then. */
  look(policy?: Policy): Promise<void>
  /** That the policy's file is broken, and how, until another look comes with a policy. What could not be written the next look writes. */
  policyBroke(problems: readonly string[]): Promise<void>
}

export type SwitchRecorderOptions = SwitchPlace & {
  readonly breaker: Pick<CircuitBreaker, 'status'>
  readonly policy: Policy
  readonly audit: Pick<AuditLog, 'append'>
  readonly log: Pick<PipelineLog, 'warn'>
}

const endedSchema = z.object({ since: z.string(), at: z.string() }).nullable().default(null)
const recordedSchema = z.object({
  pause: z.object({ since: z.string() }).nullable(),
  /** Since when the breaker is open. */
  breakerOpenSince: z.string().nullable(),
  /** What opened it, or made it stop more. */
  breakerOpenedBy: z.string().nullable().default(null),
  policyHash: z.string().nullable(),
  /** What is wrong with the policy's file; empty while it is in order. */
  policyProblems: z.array(z.string()).default([]),
  pauseEnded: endedSchema,
  breakerEnded: endedSchema,
})

type Recorded = z.output<typeof recordedSchema>

/** The policy under which signing went on last, as far as it is on record. */
export async function recordedPolicyHash(place: SwitchPlace): Promise<string | null> {
  return (await readRecorded(place)).policyHash
}

/** A file that makes no sense counts as none: lines are repeated rather than left out. */
async function readRecorded(place: SwitchPlace): Promise<Recorded> {
  const text = await readSwitch(place, 'recorded')
  try {
    if (text !== null) return recordedSchema.parse(JSON.parse(text))
  } catch {}
  return recordedSchema.parse({ pause: null, breakerOpenSince: null, policyHash: null })
}

type Seen = {
  readonly pause: SeenSwitch<Pause>
  readonly breaker: SeenSwitch<Opening>
  readonly policyHash: string
  readonly policyProblems: readonly string[]
}

async function observe(options: SwitchRecorderOptions): Promise<Omit<Seen, 'policyProblems'>> {
  const { breaker, policy } = options
  // The pause first: what ends after it was looked at then stands among the past ones, and not the other way round.
  const pause = await readPause(options)
  const resume = await readResume(options)
  const { since, cause, openedBy, rearmed, past } = await breaker.status()
  return {
    pause: { standing: pause, past: resume?.past ?? [], lastEnd: resume },
    breaker: { standing: since === null ? null : { since, cause, openedBy }, past, lastEnd: rearmed },
    policyHash: policyHash(policy),
  }
}

function recordOf({ pause, breaker, policyHash, policyProblems }: Seen): Recorded {
  return {
    pause: pause.standing,
    breakerOpenSince: breaker.standing?.since ?? null,
    breakerOpenedBy: breaker.standing?.openedBy ?? null,
    policyHash,
    policyProblems: [...policyProblems],
    pauseEnded: newestEnd(pause),
    breakerEnded: newestEnd(breaker),
  }
}

function newestEnd({ past }: SeenSwitch<Pause | Opening>): RecordedSwitch['ended'] {
  const newest = past.at(-1)
  return newest === undefined ? null : { since: newest.begun.since, at: newest.end.at }
}

function changesBetween(before: Recorded, { pause, breaker, policyHash, policyProblems }: Seen): readonly AuditEvent[] {
  const paused = { since: before.pause?.since ?? null, ended: before.pauseEnded }
  const opened = { since: before.breakerOpenSince, ended: before.breakerEnded }
  const { standing } = breaker
  const stopsMore = standing?.since === before.breakerOpenSince && standing?.openedBy !== before.breakerOpenedBy
  return [
    ...byTime(
      switchEvents({ on: 'pause.on', off: 'pause.off' }, paused, pause),
      switchEvents({ on: 'breaker.open', off: 'breaker.rearmed' }, opened, breaker),
    ),
    ...(standing !== null && stopsMore ? [{ event: 'breaker.open' as const, ...standing }] : []),
    ...policyEvents(before.policyProblems, policyProblems, policyHash),
    ...(before.policyHash === policyHash
      ? []
      : [{ event: 'policy.changed' as const, from: before.policyHash, policyHash }]),
  ]
}

/** `policyHash` is what signing goes on under. */
function policyEvents(before: readonly string[], now: readonly string[], policyHash: string): readonly AuditEvent[] {
  if (before.join('\n') === now.join('\n')) return []
  return [now.length === 0 ? { event: 'policy.mended', policyHash } : { event: 'policy.invalid', problems: now }]
}

/** Both in one row by the times they hold, each in the order it has. */
function byTime(pauses: readonly AuditEvent[], openings: readonly AuditEvent[]): readonly AuditEvent[] {
  const timeOf = ({ at, since }: AuditEvent) => String(at ?? since)
  const left = [...openings]
  const merged = pauses.flatMap((one) => {
    const later = left.findIndex((opening) => timeOf(opening) >= timeOf(one))
    return [...left.splice(0, later === -1 ? left.length : later), one]
  })
  return [...merged, ...left]
}

/**
 * What became of a switch since it was last recorded, as lines of the audit log in their order: first each time that has
 * ended and is not recorded yet, then what holds now. Where the last recorded end is not found in the history, all of it
 * counts as new.
 */
function switchEvents<Begun extends { readonly since: string }>(
  names: { readonly on: AuditEvent['event']; readonly off: AuditEvent['event'] },
  recorded: RecordedSwitch,
  { standing, past, lastEnd }: SeenSwitch<Begun>,
): readonly AuditEvent[] {
  const events: AuditEvent[] = []
  let open = recorded.since
  const on = (begun: Begun) => {
    if (begun.since === open) return
    if (open !== null) off(open, endOf(open))
    events.push({ event: names.on, ...begun })
    open = begun.since
  }
  const off = (since: string, end: SwitchEnd | null) => {
    events.push({ event: names.off, since, by: end?.by ?? null, at: end?.at ?? null })
    open = null
  }
  /** A file removed by hand names nobody. An older file holds the last end alone, without what it ended. */
  const endOf = (since: string): SwitchEnd | null => {
    if (past.length === 0) return lastEnd !== null && lastEnd.at >= since ? lastEnd : null
    return past.findLast(({ begun }) => begun.since === since)?.end ?? null
  }

  const { ended } = recorded
  const known = past.findLastIndex(({ begun, end }) => begun.since === ended?.since && end.at === ended.at)
  for (const { begun, end } of past.slice(known + 1)) {
    // Its end is written down before the switch itself is moved.
    if (begun.since === standing?.since) continue
    on(begun)
    off(begun.since, end)
  }
  if (standing !== null) on(standing)
  else if (open !== null) off(open, endOf(open))
  return events
}

/** What of a switch is in the audit log. */
type RecordedSwitch = {
  /** Since when it is set; `null` when it is not. */
  readonly since: string | null
  /** The newest time that has ended. */
  readonly ended: { readonly since: string; readonly at: string } | null
}

type SeenSwitch<Begun> = {
  readonly standing: Begun | null
  readonly past: readonly PastTime<Begun>[]
  readonly lastEnd: SwitchEnd | null
}
