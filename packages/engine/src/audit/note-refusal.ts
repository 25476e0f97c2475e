import type { Call } from '../call/call.ts'
import { type ErrorCode, errorTable, type Intent, ToolError } from '@svc/amm'
import type { AuditEvent, AuditLog } from './audit.ts'
import { callFacts, paramsHash } from './call-facts.ts'
import type { Journal } from '@svc/wallet/core'
import type { PipelineLog } from '../call/refusal.ts'

/**
 * Leaves a line about a write that did not come to its end on the pipeline: `tx.refused` where something stood in the way
 * before the first signature, `tx.failed` where it went wrong otherwise. One that waits for a person has a line of its own
 * (`tx.approval.requested`) and gets none here. A line that cannot be written hides nothing from the caller.
 */
export async function noteRefusal({ engine, call, intent, chain }: RefusedCall, failure: unknown): Promise<void> {
  const { requestId } = call
  if (waitingOperation(failure) !== null) return
  try {
    const hasSigned = await engine.journal.byRequest(requestId).then(
      ({ length }) => length > 0,
      () => true,
    )
    const line = { ...outcomeOf(call, failure, hasSigned), chainId: chain.id, why: intent.why }
    engine.log.info(line.event, { ...callFacts(call), chainId: chain.id, code: line.code })
    await engine.audit.append(line)
  } catch (error) {
    engine.log.error('audit.unwritten', { requestId, error })
  }
}

type RefusedCall = {
  readonly engine: {
    readonly journal: Pick<Journal, 'byRequest'>
    readonly audit: Pick<AuditLog, 'append'>
    readonly log: PipelineLog
  }
  readonly call: Call
  readonly intent: Pick<Intent, 'why'>
  readonly chain: { readonly id: number }
}

/** The line about a call that ended with `failure`; `hasSigned`: after one of its transactions was signed. */
export function outcomeOf(call: Call, failure: unknown, hasSigned: boolean) {
  const code = failure instanceof ToolError ? failure.code : 'INTERNAL'
  const decision = decisionOf(code)
  const isRefused = !hasSigned && (decision.verdict !== 'allow' || errorTable[code].httpStatus < 500)
  const operationId = call.carriesOut?.id ?? operationIn(failure)
  return {
    event: isRefused ? 'tx.refused' : 'tx.failed',
    ...callFacts(call),
    code,
    ...(operationId === null ? {} : { operationId }),
    decision,
    result: { status: isRefused ? 'refused' : 'failed', error: code },
    paramsHash: paramsHash(call.input),
  } as const satisfies AuditEvent
}

/** The operation that a refusal says waits for a person; `null` for any other failure. */
export function waitingOperation(failure: unknown): string | null {
  return failure instanceof ToolError && failure.code === 'APPROVAL_REQUIRED' ? operationIn(failure) : null
}

function operationIn(failure: unknown): string | null {
  if (!(failure instanceof ToolError)) return null
  const id = failure.details.find(({ operationId }) => typeof operationId === 'string')?.['operationId']
  return typeof id === 'string' ? id : null
}

/** Whether a rule stood in the way, and which: its code. A failure of the chain or of our own is no decision. */
function decisionOf(code: ErrorCode) {
  if (code === 'APPROVAL_REQUIRED') return { verdict: 'needs_approval', rule: code }
  const isRule = errorTable[code].httpStatus === 403 || otherRules.has(code)
  return isRule ? { verdict: 'deny', rule: code } : { verdict: 'allow', rule: null }
}

/** Codes of `policyVerdict` and of the switches whose status is not 403. */
const otherRules = new Set<ErrorCode>(['CIRCUIT_BREAKER_OPEN', 'HOOK_NOT_SUPPORTED', 'NO_TWAMM_HOOK', 'SERVER_PAUSED'])
