import type { Call } from '../call/call.ts'
import { type RiskTier, ToolError } from '@svc/amm'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'

/**
 * The time a call of a risk tier waits before it is signed, where the policy keeps delays. An operation that has waited
 * as long as the policy says now waits no more. `null` when it may go on at once.
 */
export function neededDelay(
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

export type NeededDelay = { readonly seconds: number; readonly condition: Refusal }
