import { ToolError } from '@svc/amm'
import type { Operation } from '@svc/store'
import type { Call } from '../call/call.ts'
import { type Policy, usdMicros } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import type { HeldSpend } from '../spending/spend-limit.ts'
import { usdText } from '../call/amounts.ts'

/**
 * What a spend needs of a person: nothing up to the threshold that holds for its principal, and nothing where a person has
 * approved the operation that is carried out over a channel that the policy still names. A guess counts with its gas, so
 * that a token which burns gas does not lower what a person is asked about. `null` when nothing is needed.
 */
export function neededApproval(
  spend: HeldSpend,
  policy: ApprovalTerms,
  call: Pick<Call, 'carriesOut'>,
): Refusal | null {
  const { approvalThresholdUsd: threshold } = policy
  if (isApproved(call, policy)) return null
  if (spend.needsPerson !== undefined) {
    return { code: 'APPROVAL_REQUIRED', message: spend.needsPerson }
  }
  const askedUsdMicros = spend.amountUsdMicros + (spend.isGuess ? spend.gasUsdMicros : 0n)
  if (threshold === null || askedUsdMicros <= usdMicros(threshold)) return null
  const asked = usdText(askedUsdMicros)
  return {
    code: 'APPROVAL_REQUIRED',
    message: `A spend of ${asked} USD needs a person's approval; up to ${threshold} USD do not.`,
    details: [{ message: 'threshold', thresholdUsd: threshold, askedUsd: asked }],
  }
}

/**
 * Asks again while a call is on its way, when prices have risen or the threshold was lowered. It is refused then, and not
 * stored to wait: what a person would decide on is no longer the plan that is half carried out.
 */
export function requireNoNewApproval(spend: HeldSpend, policy: ApprovalTerms, call: Pick<Call, 'carriesOut'>): void {
  const needed = neededApproval(spend, policy, call)
  if (needed === null) return
  const { code, message, details = [] } = needed
  throw new ToolError(code, `${message} The price or the policy has changed while the call was on its way.`, {
    details,
    suggestion: 'Nothing waits for a person. Call the tool again for a plan that one can approve, or lower the amount.',
  })
}

/**
 * Holds who approved an operation against the policy as it is now: a word counts only from a channel it names. Throws
 * `APPROVAL_REQUIRED`.
 */
export function requireChannel({ id, decidedBy }: Operation, { approvals }: Policy): void {
  if (decidedBy === null || counts(decidedBy, approvals)) return
  throw new ToolError('APPROVAL_REQUIRED', 'The policy does not take approvals from where this one came.', {
    details: [{ message: 'Who decided.', operationId: id, decidedBy, accepted: approvals.channels }],
    suggestion: 'Call the tool again for a new operation, and have it approved over a channel the policy names.',
  })
}

/** What of a policy says who must be asked. */
type ApprovalTerms = Pick<Policy, 'approvalThresholdUsd' | 'approvals'>

/** Only a decision makes an operation that awaits one ready to be claimed, so a decided one that runs was approved. */
function isApproved({ carriesOut }: Pick<Call, 'carriesOut'>, { approvals }: Pick<Policy, 'approvals'>): boolean {
  return carriesOut !== null && carriesOut.decidedBy !== null && counts(carriesOut.decidedBy, approvals)
}

/** Whether a word of `decidedBy` (channel, colon, who) came over a channel that the policy names. */
function counts(decidedBy: string, { channels }: Policy['approvals']): boolean {
  const channel = decidedBy.split(':', 1)[0]
  return channels.some((name) => name === channel)
}
