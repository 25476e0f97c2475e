import type { Call } from '../call/call.ts'
import type { AuditEvent, AuditLog } from './audit.ts'
import { auditToolCall, callFacts } from './call-facts.ts'
import { outcomeOf, waitingOperation } from './note-refusal.ts'

/**
 * Sees to it that each write that is asked for has an outcome in the audit log: what the transaction pipeline writes, and
 * where it was refused before it came there (an unknown token, an operation that is over) a line of its own. Where a tool words what
 * the pipeline refused in another way, a line says with which code the caller was answered. `audit` is the log as the pipeline has to
 * use it.
 */
export function createCallOutcomes(log: AuditLog): CallOutcomes {
  const open = new Map<string, Reported>()
  const seen = ({ event, requestId, code }: AuditEvent): void => {
    const reported = typeof requestId === 'string' ? open.get(requestId) : undefined
    if (typeof requestId !== 'string' || reported === undefined) return
    if (event === 'tx.approval.requested') reported.asked = true
    if (event === 'tx.intent') reported.hasSigned = true
    if (ends.has(event)) reported.ended = { code: typeof code === 'string' ? code : null }
  }
  return Object.freeze({
    audit: {
      ...log,
      append: async (event: AuditEvent) => {
        await log.append(event)
        seen(event)
      },
    },
    begin: (call: Call) => {
      const { requestId } = call
      auditToolCall(log, call)
      open.set(requestId, { asked: false, hasSigned: false, ended: null })
      return (failure: unknown) => {
        const reported = open.get(requestId)
        open.delete(requestId)
        if (failure === null || reported === undefined || (reported.asked && waitingOperation(failure) !== null)) return
        const outcome = outcomeOf(call, failure, reported.hasSigned)
        const pipelineCode = reported.ended?.code
        if (pipelineCode === undefined) log.note(outcome)
        else if (pipelineCode !== null && pipelineCode !== outcome.code) {
          log.note({ ...callFacts(call), event: 'tool.answered', code: outcome.code, pipelineCode })
        }
      }
    },
  })
}

/**
 * Notes in the audit log that callers were turned away, at most one line a minute however many there are, so that nobody
 * without a key can fill the disk: the first at once, those that follow as a number with the next line. Of the addresses
 * the first five stand in the line.
 */
export function createRefusedCallers(options: {
  readonly audit: Pick<AuditLog, 'note'>
  /** Unix milliseconds. */
  readonly now: () => number
}): RefusedCallers {
  let count = 0
  let reasons: Record<string, number> = {}
  let addresses = new Set<string>()
  let notedAt = -Infinity
  const write = () => {
    if (count === 0) return
    options.audit.note({ event: 'auth.failed', count, reasons, addresses: [...addresses] })
    count = 0
    reasons = {}
    addresses = new Set()
  }
  return Object.freeze({
    refused: (reason: string, address: string) => {
      count += 1
      reasons[reason] = (reasons[reason] ?? 0) + 1
      if (addresses.size < mostAddresses) addresses.add(address)
      if (Math.abs(options.now() - notedAt) < onceInMs) return
      notedAt = options.now()
      write()
    },
    flush: write,
  })
}

type Reported = {
  asked: boolean
  hasSigned: boolean
  /** How the pipeline said that it ended: its code, `null` where it did what it should. */
  ended: { readonly code: string | null } | null
}

/** Lines that say how a call ended. */
const ends: ReadonlySet<AuditEvent['event']> = new Set([
  'tx.failed',
  'tx.refused',
  'tx.settled',
  'tx.scheduled',
] as const)

export type CallOutcomes = {
  readonly audit: AuditLog
  /** Notes that a write is asked for; what is given back must be called with how it ended: the failure, `null` for none. */
  begin(call: Call): (failure: unknown) => void
}

type RefusedCallers = {
  /** `reason` is one of our own words. */
  refused(reason: string, address: string): void
  /** Notes what is counted and not noted yet. */
  flush(): void
}

const onceInMs = 60_000
const mostAddresses = 5
