import type { Call } from '../call/call.ts'
import type { AuditEvent, AuditLog } from './audit.ts'
import { createHash } from 'node:crypto'
import { type ErrorCode, errorTable, type Intent, ToolError } from '@svc/amm'
import type { Journal } from '@svc/wallet/core'
import type { PipelineLog } from '../call/refusal.ts'

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

/** What every audit line about a call says of it: who asked, through which entrance, for which tool. */
export function callFacts({ requestId, tool, principal }: Call) {
  const { id, stage, tier } = principal
  return { requestId, tool, actor: { principal: id, stage, tier } }
}

/** Leaves a line about a write that is asked for. It is on disk before the line of its first transaction. */
function auditToolCall(audit: Pick<AuditLog, 'note'>, call: Call): void {
  audit.note({ event: 'tool.called', ...callFacts(call), params: call.input, paramsHash: paramsHash(call.input) })
}

/** SHA-256 of a call's arguments, the same for equal ones whatever the order of their members. */
export function paramsHash(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(input)) ?? 'undefined')
    .digest('hex')
}

function ordered(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  )
}

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
function outcomeOf(call: Call, failure: unknown, hasSigned: boolean) {
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
function waitingOperation(failure: unknown): string | null {
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
