import { formatAmount } from '@svc/lp-math'
import type { Operation } from '@svc/store'
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  type ApprovalReply,
  type Call,
  canonical,
  readStoredPlan,
} from '@svc/engine'
import { ToolError } from '@svc/amm'
import { repeatedAnswer } from './call-result.ts'
import { type Answered, answerOf, carryOn, carryOut, type CarryOutDeps, hasStopped, storedAnswer } from './carry-out.ts'

/**
 * Runs a write; where it waits for a person and the client can ask one, asks, and on a yes carries the operation out in
 * the same call. No answer leaves the operation waiting and the call refused as it was.
 */
export async function withApproval(call: Call, asking: Asking, run: () => Promise<Answered>): Promise<Answered> {
  try {
    return await run()
  } catch (error) {
    const { confirm, deps } = asking
    const id = waitingOperation(error)
    if (id === null || confirm === undefined) throw error
    // The operation is stored: whatever cannot be read from here on, the caller hears its id.
    if (!(await deps.operations.takesClient().catch(() => false))) throw error
    const operation = await deps.operations.find(id, call.principal).catch(() => null)
    if (operation === null) throw error
    const others = await deps.operations.awaiting(call.principal).then(
      (waiting) => Math.max(0, waiting - 1),
      () => 0,
    )
    const question = questionOf(operation, others)
    if (question === null) throw error
    const term = deps.term?.() ?? null
    const reply = await whileLeading(term, () => confirm(question, term))
    if (reply === null) throw lostLead(operation)
    if (reply === 'cancelled') throw error
    return decided(call, deps, operation, { planHash: operation.planHash, accepted: reply === 'accepted' })
  }
}

/**
 * Goes on with the operation that an earlier call under the same key stored: what became of it is reported, what was approved is
 * carried out, and where it waits for a person, that person is asked again or answers now. Throws what `execute_plan` does,
 * and `OPERATION_CHANGED` for an answer to another question.
 */
export async function goOnWith(operationId: string, call: Call, asking: Asking & Answering): Promise<Answered> {
  const { deps, answer } = asking
  const operation = await deps.operations.find(operationId, call.principal)
  const { state, executeAfter } = operation
  if (hasStopped(operation, deps)) return answerOf(await carryOn(operation, call, deps))
  if (state === 'done') return repeatedAnswer(storedAnswer(operation))
  if (state === 'failed') return storedAnswer(operation)
  if (state === 'scheduled' && executeAfter !== null) return scheduled(operation, executeAfter)
  if (state !== 'awaiting_approval' || answer === undefined) {
    return withApproval(call, asking, async () => answerOf(await carryOut(operation, call, deps)))
  }
  if (answer.operationId !== operationId) throw otherQuestion()
  return withAnswer(call, deps, answer)
}

/**
 * What a person answered to the question of an earlier call, which this one repeats: decides, and on a yes carries the
 * operation out. Throws `OPERATION_CHANGED` when the call is not the one that was asked about.
 */
export async function withAnswer(call: Call, deps: CarryOutDeps, answer: ApprovalAnswer): Promise<Answered> {
  if (!(await deps.operations.takesClient())) {
    throw new ToolError('APPROVAL_REQUIRED', 'On this server the operator alone approves; the answer was not used.')
  }
  const operation = await deps.operations.find(answer.operationId, call.principal)
  if (!isSameCall(call, operation, deps)) throw otherQuestion()
  return decided(call, deps, operation, answer)
}

export type Asking = {
  readonly deps: CarryOutDeps
  readonly confirm: Confirm | undefined
}

export type Answering = {
  /** What the person answered to an earlier question about this very call. */
  readonly answer: ApprovalAnswer | undefined
}

/** Asks the person at the client. A rejection counts as no answer. `term` is aborted when nobody may answer any more: the question is taken back then. */
export type Confirm = (question: ApprovalQuestion, term: AbortSignal | null) => Promise<ApprovalReply>

/** `null` as soon as this server does not lead any more, whatever the person does: it would not lead again as long as anything waits here. */
async function whileLeading(
  term: AbortSignal | null,
  ask: () => Promise<ApprovalReply>,
): Promise<ApprovalReply | null> {
  if (term?.aborted === true) return null
  let lost = (): void => undefined
  const ended = new Promise<null>((resolve) => {
    lost = () => resolve(null)
  })
  term?.addEventListener('abort', lost, { once: true })
  try {
    return await Promise.race([ended, ask().catch((): ApprovalReply => 'cancelled')])
  } finally {
    term?.removeEventListener('abort', lost)
  }
}

function lostLead({ id: operationId, planHash }: Operation): ToolError {
  return new ToolError('NOT_LEADER', 'This server lost the lead while a person was asked; nothing was signed.', {
    details: [{ message: 'What goes on waiting.', operationId, planHash }],
    suggestion: 'Make the same call at the server that leads, under its idempotencyKey: the person is asked there.',
  })
}

async function decided(
  call: Call,
  deps: CarryOutDeps,
  operation: Operation,
  { planHash, accepted: approved }: Pick<ApprovalAnswer, 'planHash' | 'accepted'>,
): Promise<Answered> {
  const by = `client:${call.principal.id}`
  const after = await deps.operations.decide(operation, { approved, by, planHash })
  if (!approved) {
    const details = [{ message: 'Denied.', operationId: after.id, planHash }]
    throw new ToolError('APPROVAL_DENIED', 'The person at the client has denied this operation.', { details })
  }
  if (after.state === 'scheduled' && after.executeAfter !== null) {
    return scheduled(after, after.executeAfter)
  }
  return answerOf(await carryOut(after, call, deps))
}

function scheduled({ id, plan }: Operation, at: number): Answered {
  return { status: 'scheduled', operationId: id, executeAfter: new Date(at).toISOString(), plan: JSON.parse(plan) }
}

function otherQuestion(): ToolError {
  return new ToolError('OPERATION_CHANGED', 'The answer belongs to a call with another tool or other arguments.')
}

/** The operation that a refusal says waits for a person. */
function waitingOperation(error: unknown): string | null {
  if (!(error instanceof ToolError) || error.code !== 'APPROVAL_REQUIRED') return null
  const id = error.details.find(({ operationId }) => typeof operationId === 'string')?.['operationId']
  return typeof id === 'string' ? id : null
}

/** `null` where the stored plan cannot be read: nobody is asked about what cannot be shown. */
function questionOf(operation: Operation, othersWaiting: number): ApprovalQuestion | null {
  const { id, planHash, tool, expiresAt, spendUsdMicros } = operation
  try {
    const [plan, spendUsd] = [readStoredPlan(operation.plan), formatAmount(spendUsdMicros, 6)]
    return { operationId: id, planHash, tool, expiresAt, plan, spendUsd, othersWaiting }
  } catch {
    return null
  }
}

/** A call that carries operations out names its own; every other must have the operation's tool and arguments. */
function isSameCall(call: Call, operation: Operation, deps: CarryOutDeps): boolean {
  if (deps.tool(call.tool).scope === 'of-operation') return true
  const { dryRun: _dryRun, idempotencyKey: _key, ...own } = call.input
  const stored: unknown = JSON.parse(operation.input)
  return call.tool === operation.tool && JSON.stringify(canonical(own)) === JSON.stringify(canonical(stored))
}
