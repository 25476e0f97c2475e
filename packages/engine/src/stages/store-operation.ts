import { type NewOperation, type Operation, StoreError } from '@svc/store'
import { type Plan, type Planned, type Scheduled, storeIntent, ToolError, type RiskTier } from '@svc/amm'
import { neededApproval } from '../operations/needed-approval.ts'
import type { AuditEventName } from '../audit/audit.ts'
import { usdText } from '../call/amounts.ts'
import { countable } from '../spending/countable.ts'
import { planOf } from './plan.ts'
import { suspectWarnings } from '../verdict/call-tokens.ts'
import { argumentsOf } from '../operations/plan-shown.ts'
import { type Refusal, onStorage } from '../call/refusal.ts'
import type { Reserved } from './reserve-spend.ts'
import type { HeldSpend } from '../spending/spend-limit.ts'
import { storePrincipal, type Call } from '../call/call.ts'
import type { Policy } from '../policy/policy.ts'

/** Keeps the plan of a dry run for `execute_plan`, whatever the policy has against it now. */
export async function storePlan(context: Reserved, refusals: readonly Refusal[]): Promise<Planned> {
  const { engine, call, intent } = context
  const approval = neededApproval(forPerson(context), engine.policy, call)
  const delay = neededDelay(intent.riskTier, engine.policy, call, engine.now())
  const conditions = [approval, delay?.condition ?? null].filter((condition) => condition !== null)
  const expiresAt = engine.now() + engine.policy.planExpirySeconds * 1000
  const plan = planOf(context, { planId: engine.newRequestId(), expiresAt, refusals, conditions, waits: 'planned' })
  await store(context, plan, { state: 'planned', expiresAt, executeAfter: null })
  return { status: 'planned', plan }
}

/**
 * Above the threshold a person must say yes: stores what is asked for and throws `APPROVAL_REQUIRED`, naming it. One of
 * the same call that awaits approval already is named instead, with the plan it has, and expires when it would have. An operation that was approved or
 * has waited already is not asked for again: it is refused as it is. Throws `OPERATION_LIMIT` where too many wait.
 */
export async function requireApproval(context: Reserved): Promise<void> {
  const { engine, call, intent } = context
  const needed = neededApproval(forPerson(context), engine.policy, call)
  if (needed === null || call.dryRun) return
  if (hasWaited(context)) throw stricter(needed)
  await requireFirst(context, needed)
  const delay = neededDelay(intent.riskTier, engine.policy, call, engine.now())
  const conditions = [needed, ...(delay === null ? [] : [delay.condition])]
  const expiresAt = engine.now() + engine.policy.approvals.expirySeconds * 1000
  const executeAfter = delay === null ? null : engine.now() + delay.seconds * 1000
  const waits = executeAfter === null ? 'approval' : 'approval and delay'
  const plan = planOf(context, { planId: engine.newRequestId(), expiresAt, refusals: [], conditions, waits })
  const life = { state: 'awaiting_approval', expiresAt, executeAfter } as const
  const stored = await store(context, plan, life, () => note(context, 'tx.approval.requested', plan))
  throw approvalRequired(context, stored, { ...needed, isNew: stored.id === plan.planId })
}

/**
 * Where the risk tier has a delay: stores the operation for its time, when it runs by itself, and gives the reservation
 * back. `null` when the pipeline goes on. Throws `DELAY_REQUIRED` for one that waited under a policy that asks for more now,
 * and `OPERATION_LIMIT` where too many wait.
 */
export async function waitForDelay(context: Reserved): Promise<Scheduled | null> {
  const { engine, call, intent } = context
  const delay = neededDelay(intent.riskTier, engine.policy, call, engine.now())
  if (delay === null || call.dryRun) return null
  if (hasWaited(context)) throw stricter(delay.condition)
  await requireFirst(context, delay.condition)
  const scheduled = await schedule(context, delay)
  await giveBack(context)
  return scheduled
}

async function schedule(context: Reserved, { seconds, condition }: NeededDelay): Promise<Scheduled> {
  const { engine } = context
  const executeAfter = engine.now() + seconds * 1000
  const terms = { refusals: [], conditions: [condition], waits: 'delay' } as const
  const plan = planOf(context, { planId: engine.newRequestId(), expiresAt: null, ...terms })
  const time = new Date(executeAfter).toISOString()
  const life = { state: 'scheduled', expiresAt: null, executeAfter } as const
  await store(context, plan, life, () => note(context, 'tx.scheduled', plan, { executeAfter: time }))
  return { status: 'scheduled', operationId: plan.planId, executeAfter: time, plan }
}

/** What waits holds no part of the limits. It is stored by now, and the caller must hear of it, whatever happens here. */
async function giveBack({ engine, call, spend, reservationId }: Reserved): Promise<void> {
  if (!spend.reserved) return
  try {
    await engine.ledger.release(reservationId)
  } catch (error) {
    engine.log.error('road.not-recovered', { requestId: call.requestId, error })
  }
}

/** What the limits leave to a person, and what buys or pools tokens that are made to mislead. */
function forPerson(context: Reserved): HeldSpend {
  const [misleads] = suspectWarnings(context)
  return misleads === undefined
    ? context.spend
    : { needsPerson: `It needs a person's approval. ${misleads}`, ...context.spend }
}

/** Approved by a person, or stored for its time; the plan of a dry run has done neither. */
function hasWaited({ call: { carriesOut } }: Reserved): boolean {
  return carriesOut !== null && (carriesOut.decidedBy !== null || carriesOut.executeAfter !== null)
}

/**
 * What goes on with a call that has signed something cannot wait: carried out later, the call would begin again with what is done. It
 * is refused, and what was done before stays.
 */
async function requireFirst({ engine, call }: Reserved, { code, message, details = [] }: Refusal): Promise<void> {
  const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(call.requestId))
  if (signed.length === 0) return
  throw new ToolError(code, `${message} It is a part of a call that has begun, so it is not stored to wait.`, {
    details,
    suggestion: 'Ask for this part by a tool of its own, whose call can wait; what was done before it stays.',
  })
}

function stricter({ code, message, details = [] }: Refusal): ToolError {
  return new ToolError(code, `${message} The policy or the price has changed since this operation was stored.`, {
    details,
    suggestion: 'This operation has ended. Call the tool again for a new one.',
  })
}

/** Stores it if and only if it could be put on record and may wait; what is given back may be one of the same call that waits. */
async function store(
  { engine, call, intent, spend }: Reserved,
  plan: Plan,
  life: Pick<NewOperation, 'state' | 'expiresAt' | 'executeAfter'>,
  record?: () => Promise<void>,
): Promise<Operation> {
  const operation: NewOperation = {
    id: plan.planId,
    principalId: call.principal.id,
    principal: storePrincipal(call.principal),
    tool: call.tool,
    input: JSON.stringify(argumentsOf(call.input)),
    chainId: intent.chainId,
    planHash: plan.planHash,
    plan: JSON.stringify(plan),
    intent: storeIntent(intent),
    // A dry run may be of any sum; the plan beside it says which limit it exceeds.
    spendUsdMicros: countable(spend.amountUsdMicros),
    ...life,
  }
  const { maxWaiting } = engine.policy.approvals
  const { idempotencyKey } = call
  const terms = {
    mostWaiting: maxWaiting,
    ...(record !== undefined && { record }),
    ...(idempotencyKey !== null && life.state !== 'planned' && { idempotencyKey }),
  }
  return onStorage('the operation cannot be stored', () =>
    engine.operations.create(operation, terms).catch((error: unknown) => {
      throw error instanceof StoreError && error.code === 'OPERATION_LIMIT' ? tooManyWait(maxWaiting, error) : error
    }),
  )
}

function tooManyWait(maxWaiting: number, cause: StoreError): ToolError {
  const message = `This caller has ${maxWaiting} operations that await approval or their time; no more may wait at once.`
  const details = [{ field: 'approvals.maxWaiting', message: 'The policy says how many may wait.', maxWaiting }]
  return new ToolError('OPERATION_LIMIT', `${message} Nothing was signed or stored.`, { details, cause })
}

async function note(
  { engine, call, spend }: Reserved,
  event: AuditEventName,
  plan: Plan,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await onStorage('the audit log cannot be written', () =>
    engine.audit.append({
      event,
      requestId: call.requestId,
      tool: call.tool,
      actor: { principal: call.principal.id, stage: call.principal.stage },
      operationId: plan.planId,
      planHash: plan.planHash,
      simulationHash: plan.simulationHash,
      spendUsd: usdText(spend.amountUsdMicros),
      why: plan.why,
      ...facts,
    }),
  )
}

function approvalRequired(
  { engine }: Reserved,
  { id: operationId, planHash, expiresAt: until, executeAfter }: Operation,
  { code, message, details = [], isNew }: Refusal & { readonly isNew: boolean },
): ToolError {
  const { channels } = engine.policy.approvals
  const ways = [
    ...(channels.includes('client') ? ['the person at the client, who is asked through it where it can ask'] : []),
    ...(channels.includes('operator') ? ['the operator, with: svc approvals'] : []),
  ]
  const expiresAt = until === null ? null : new Date(until).toISOString()
  const stored = isNew
    ? 'Stored until a person decides.'
    : 'The same call waits already, as it was planned then. To have it planned anew, end it with cancel_operation first.'
  return new ToolError(code, message, {
    details: [{ message: stored, operationId, planHash, expiresAt, approvedBy: ways }, ...details],
    suggestion: `Nothing was signed. ${afterApproval(executeAfter)} get_operation shows its state.`,
  })
}

/** What a caller has to do once a person has approved: nothing where a delay comes on top. */
function afterApproval(executeAfter: number | null): string {
  if (executeAfter === null) return 'When a person has approved operationId, call execute_plan with it as planId.'
  const time = new Date(executeAfter).toISOString()
  return `Once a person has approved operationId it runs by itself, not before ${time}; do not call execute_plan.`
}

/**
 * The time a call of a risk tier waits before it is signed, where the policy keeps delays. An operation that has waited
 * as long as the policy says now waits no more. `null` when it may go on at once.
 */
function neededDelay(
  tier: RiskTier,
  { proxyDelay, delaySeconds }: Policy,
  { carriesOut }: Pick<Call, 'carriesOut'>,
  now: number,
): NeededDelay | null {
  const seconds = delaySeconds[tier]
  if (!proxyDelay || seconds === 0) return null
  if (carriesOut !== null && carriesOut.executeAfter !== null) {
    const until = Math.max(carriesOut.executeAfter, carriesOut.createdAt + seconds * 1000)
    if (now >= until) return null
  }
  return {
    seconds,
    condition: {
      code: 'DELAY_REQUIRED',
      message: `Calls of the risk tier "${tier}" must wait ${seconds} seconds before they are signed.`,
      details: [{ message: 'delay', tier, delaySeconds: seconds }],
    },
  }
}

/**
 * Asks again while a call is on its way, when the policy has changed. It is refused then, and not stored to wait: a part of
 * it may be signed already. Throws `DELAY_REQUIRED`.
 */
export function requireNoNewDelay(tier: RiskTier, policy: Policy, call: Pick<Call, 'carriesOut'>, now: number): void {
  const needed = neededDelay(tier, policy, call, now)
  if (needed === null) return
  const { code, message, details = [] } = needed.condition
  throw new ToolError(code, `${message} The policy has changed while the call was on its way.`, {
    details,
    suggestion: 'Nothing is scheduled. Call the tool again for an operation that waits for its time.',
  })
}

type NeededDelay = { readonly seconds: number; readonly condition: Refusal }
