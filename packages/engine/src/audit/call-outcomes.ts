import type { Call } from '../call.ts'
import type { AuditEvent, AuditLog } from './audit.ts'
import { auditToolCall } from './call-facts.ts'
import { outcomeOf, waitingOperation } from '../stages/note-refusal.ts'

/**
 * Sees to it that each write that is asked for has an outcome in the audit log: what the transaction pipeline writes, and
 * where it was refused before it came there (an unknown token, an operation that is over) a line of its own. `audit` is the
 * log as the pipeline has to use it.
 */
export function createCallOutcomes(log: AuditLog): CallOutcomes {
  const open = new Map<string, { asked: boolean; hasSigned: boolean }>()
  const seen = ({ event, requestId }: AuditEvent): void => {
    const reported = typeof requestId === 'string' ? open.get(requestId) : undefined
    if (typeof requestId !== 'string' || reported === undefined) return
    if (event === 'tx.approval.requested') reported.asked = true
    if (event === 'tx.intent') reported.hasSigned = true
    if (ends.has(event)) open.delete(requestId)
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
      open.set(requestId, { asked: false, hasSigned: false })
      return (failure: unknown) => {
        const reported = open.get(requestId)
        open.delete(requestId)
        if (failure === null || reported === undefined || (reported.asked && waitingOperation(failure) !== null)) return
        log.note(outcomeOf(call, failure, reported.hasSigned))
      }
    },
  })
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
