import type { Call } from '../call.ts'
import { ToolError } from '../tool-error.ts'
import { type Policy, usdMicros } from './policy.ts'
import type { Refusal } from './refusal.ts'
import { usdText } from './spend-limit.ts'

/**
 * What a spend needs of a person: nothing up to the threshold that holds for its principal, and nothing where a person has approved the operation that is carried out. `null` when nothing is needed.
 */
export function neededApproval(
  amountUsdMicros: bigint,
  { approvalThresholdUsd: threshold }: Pick<Policy, 'approvalThresholdUsd'>,
  call: Pick<Call, 'carriesOut'>,
): Refusal | null {
  if (threshold === null || amountUsdMicros <= usdMicros(threshold) || isApproved(call)) return null
  const asked = usdText(amountUsdMicros)
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
export function requireNoNewApproval(
  amountUsdMicros: bigint,
  policy: Pick<Policy, 'approvalThresholdUsd'>,
  call: Pick<Call, 'carriesOut'>,
): void {
  const needed = neededApproval(amountUsdMicros, policy, call)
  if (needed === null) return
  const { code, message, details = [] } = needed
  throw new ToolError(code, `${message} The price or the policy has changed while the call was on its way.`, {
    details,
    suggestion: 'Nothing waits for a person. Call the tool again for a plan that one can approve, or lower the amount.',
  })
}

/** Only a decision makes an operation that awaits one ready to be claimed, so a decided one that runs was approved. */
export function isApproved({ carriesOut }: Pick<Call, 'carriesOut'>): boolean {
  return carriesOut !== null && carriesOut.decidedBy !== null
}
