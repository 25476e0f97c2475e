import { join } from 'node:path'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import type { AuditEvent, AuditLog } from './audit.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { RoadLog } from './engine.ts'
import { readPause, readResume } from './kill-switch.ts'
import type { Policy } from './policy.ts'
import { policyHash } from './policy-hash.ts'
import { readFileIfPresent } from './read-file-if-present.ts'
import { replaceFileDurably } from './replace-file-durably.ts'

/**
 * Writes into the audit log what became of the kill switch, the circuit breaker and the policy since it last looked, also
 * while no server ran: the log has one writer, and the commands that move the switches are not it. What is recorded
 * stands in `recorded.json`; a crash between the two repeats a line and loses none. Two looks never overlap.
 */
export function createSwitchRecorder(options: SwitchRecorderOptions): SwitchRecorder {
  const path = join(options.dataDir, 'recorded.json')
  let recorded: Recorded | null = null
  let inForce = options.policy
  const inTurn = createMutex()

  const look = async (policy: Policy): Promise<void> => {
    recorded ??= await readRecorded(path)
    const now = await observe({ ...options, policy })
    const events = await changesBetween(recorded, now, options)
    if (events.length === 0) return
    for (const event of events) {
      await options.audit.append(event)
      // That there is a policy is no news; that it is another one is.
      const { event: name, ...facts } = event
      if (name !== 'policy.changed' || facts['from'] !== null) options.log.warn(name, facts)
    }
    await replaceFileDurably(path, JSON.stringify(now))
    recorded = now
  }

  return Object.freeze({
    look: (policy) =>
      inTurn(async () => {
        await look(policy ?? inForce)
        inForce = policy ?? inForce
      }),
  })
}

export type SwitchRecorder = {
  /** With a policy, that is the one in force from now on. Rejects when a file cannot be read or written; nothing counts as recorded then. */
  look(policy?: Policy): Promise<void>
}

export type SwitchRecorderOptions = {
  readonly dataDir: string
  readonly breaker: Pick<CircuitBreaker, 'status'>
  readonly policy: Policy
  readonly audit: Pick<AuditLog, 'append'>
  readonly log: Pick<RoadLog, 'warn'>
}

const pauseSchema = z.object({ since: z.string(), by: z.string().nullable(), reason: z.string().nullable() })
const recordedSchema = z.object({
  pause: pauseSchema.nullable(),
  /** Since when the breaker is open. */
  breakerOpenSince: z.string().nullable(),
  policyHash: z.string().nullable(),
})

type Recorded = z.output<typeof recordedSchema>

/** A file that makes no sense counts as none: lines are repeated rather than left out. */
async function readRecorded(path: string): Promise<Recorded> {
  const text = await readFileIfPresent(path)
  try {
    if (text !== null) return recordedSchema.parse(JSON.parse(text))
  } catch {}
  return { pause: null, breakerOpenSince: null, policyHash: null }
}

async function observe({ dataDir, breaker, policy }: SwitchRecorderOptions): Promise<Recorded> {
  const [pause, status] = await Promise.all([readPause(dataDir), breaker.status()])
  return { pause, breakerOpenSince: status.since, policyHash: policyHash(policy) }
}

async function changesBetween(
  before: Recorded,
  now: Recorded,
  { dataDir, breaker }: SwitchRecorderOptions,
): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = []
  if (before.pause?.since !== now.pause?.since) {
    if (before.pause !== null)
      events.push({ event: 'pause.off', ...endOf(await readResume(dataDir), before.pause.since) })
    if (now.pause !== null) events.push({ event: 'pause.on', ...now.pause })
  }
  if (before.breakerOpenSince !== now.breakerOpenSince) {
    const { since, cause, rearmed } = await breaker.status()
    if (before.breakerOpenSince !== null) {
      events.push({ event: 'breaker.rearmed', ...endOf(rearmed, before.breakerOpenSince) })
    }
    if (now.breakerOpenSince !== null) events.push({ event: 'breaker.open', since, cause })
  }
  if (before.policyHash !== now.policyHash) {
    events.push({ event: 'policy.changed', from: before.policyHash, policyHash: now.policyHash })
  }
  return events
}

/** Who ended what began at `since`, if a command did; a file removed by hand names nobody. */
function endOf(decision: { readonly by: string; readonly at: string } | null, since: string) {
  const isItsEnd = decision !== null && decision.at >= since
  return { since, by: isItsEnd ? decision.by : null, at: isItsEnd ? decision.at : null }
}
