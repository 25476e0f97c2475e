import type { Operation } from '@svc/store'
import { ToolError } from '@svc/amm'
import type { Policy } from '../policy/policy.ts'

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

/** Whether a word of `decidedBy` (channel, colon, who) came over a channel that the policy names. */
export function counts(decidedBy: string, { channels }: Policy['approvals']): boolean {
  const channel = decidedBy.split(':', 1)[0]
  return channels.some((name) => name === channel)
}
