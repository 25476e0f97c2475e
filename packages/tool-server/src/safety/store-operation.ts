import type { NewOperation } from '@svc/store'
import type { Plan, Planned, Scheduled } from '../intent.ts'
import { ToolError } from '../tool-error.ts'
import { neededApproval } from './approval.ts'
import { neededDelay, type NeededDelay } from './delay.ts'
import { planOf } from './plan.ts'
import { argumentsOf } from './plan-hash.ts'
import type { Refusal } from './refusal.ts'
import type { Reserved } from './reserve-spend.ts'
import { usdText } from './spend-limit.ts'
import { onStorage } from './storage.ts'
import { storeIntent } from './stored-intent.ts'
import { storePrincipal } from './stored-principal.ts'

/** Keeps the plan of a dry run for `execute_plan`, whatever the policy has against it now. */
export async function storePlan(road: Reserved, refusals: readonly Refusal[]): Promise<Planned> {
  const { engine, call, spend, intent } = road
  const approval = neededApproval(spend.amountUsdMicros, engine.policy, call)
  const delay = neededDelay(intent.riskTier, engine.policy, call, engine.now())
  const conditions = [approval, delay?.condition ?? null].filter((condition) => condition !== null)
  const expiresAt = engine.now() + engine.policy.planExpirySeconds * 1000
  const plan = planOf(road, { planId: engine.newRequestId(), expiresAt, refusals, conditions })
  await store(road, plan, { state: 'planned', expiresAt, executeAfter: null })
  return { status: 'planned', plan }
}

/**
 * Above the threshold a person must say yes: stores what is asked for and throws `APPROVAL_REQUIRED`, naming it. An
 * operation that was approved or has waited already is not asked for again: it is refused as it is.
 */
export async function requireApproval(road: Reserved): Promise<void> {
  const { engine, call, spend, intent } = road
  const needed = neededApproval(spend.amountUsdMicros, engine.policy, call)
  if (needed === null || call.dryRun) return
  if (hasWaited(road)) throw stricter(needed)
  const delay = neededDelay(intent.riskTier, engine.policy, call, engine.now())
  const conditions = [needed, ...(delay === null ? [] : [delay.condition])]
  const expiresAt = engine.now() + engine.policy.approvals.expirySeconds * 1000
  const executeAfter = delay === null ? null : engine.now() + delay.seconds * 1000
  const plan = planOf(road, { planId: engine.newRequestId(), expiresAt, refusals: [], conditions })
  await note(road, 'tx.approval.requested', plan)
  await store(road, plan, { state: 'awaiting_approval', expiresAt, executeAfter })
  throw approvalRequired(road, plan, needed)
}

/**
 * Where the risk tier has a delay: gives the reservation back and stores the operation for its time, when it runs by
 * itself. `null` when the road goes on. Throws `DELAY_REQUIRED` for one that waited under a policy that asks for more now.
 */
export async function waitForDelay(road: Reserved): Promise<Scheduled | null> {
  const { engine, call, intent, spend, reservationId } = road
  const delay = neededDelay(intent.riskTier, engine.policy, call, engine.now())
  if (delay === null || call.dryRun) return null
  if (hasWaited(road)) throw stricter(delay.condition)
  if (spend.reserved) {
    await onStorage('the spend ledger cannot be written', () => engine.ledger.release(reservationId))
  }
  return schedule(road, delay)
}

async function schedule(road: Reserved, { seconds, condition }: NeededDelay): Promise<Scheduled> {
  const { engine } = road
  const executeAfter = engine.now() + seconds * 1000
  const plan = planOf(road, { planId: engine.newRequestId(), expiresAt: null, refusals: [], conditions: [condition] })
  await note(road, 'tx.scheduled', plan, { executeAfter: new Date(executeAfter).toISOString() })
  await store(road, plan, { state: 'scheduled', expiresAt: null, executeAfter })
  return { status: 'scheduled', operationId: plan.planId, executeAfter: new Date(executeAfter).toISOString(), plan }
}

/** Approved by a person, or stored for its time; the plan of a dry run has done neither. */
function hasWaited({ call: { carriesOut } }: Reserved): boolean {
  return carriesOut !== null && (carriesOut.decidedBy !== null || carriesOut.executeAfter !== null)
}

function stricter({ code, message, details = [] }: Refusal): ToolError {
  return new ToolError(code, `${message} The policy or the price has changed since this operation was stored.`, {
    details,
    suggestion: 'This operation has ended. Call the tool again for a new one.',
  })
}

async function store(
  { engine, call, intent, spend }: Reserved,
  plan: Plan,
  life: Pick<NewOperation, 'state' | 'expiresAt' | 'executeAfter'>,
): Promise<void> {
  await onStorage('the operation cannot be stored', () =>
    engine.operations.create({
      id: plan.planId,
      principalId: call.principal.id,
      principal: storePrincipal(call.principal),
      tool: call.tool,
      input: JSON.stringify(argumentsOf(call.input)),
      chainId: intent.chainId,
      planHash: plan.planHash,
      plan: JSON.stringify(plan),
      intent: storeIntent(intent),
      spendUsdMicros: spend.amountUsdMicros,
      ...life,
    }),
  )
}

async function note(
  { engine, call, spend }: Reserved,
  event: string,
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
      spendUsd: usdText(spend.amountUsdMicros),
      why: plan.why,
      ...facts,
    }),
  )
}

function approvalRequired({ engine }: Reserved, plan: Plan, { code, message, details = [] }: Refusal): ToolError {
  const { channels } = engine.policy.approvals
  const ways = [
    ...(channels.includes('client') ? ['the person at the client, who is asked through it where it can ask'] : []),
    ...(channels.includes('operator') ? ['the operator, with: svc approvals'] : []),
  ]
  const { planId: operationId, planHash, expiresAt } = plan
  return new ToolError(code, message, {
    details: [
      { message: 'Stored until a person decides.', operationId, planHash, expiresAt, approvedBy: ways },
      ...details,
    ],
    suggestion:
      'Nothing was signed. When a person has approved operationId, call execute_plan with it as planId; get_operation shows its state.',
  })
}
