import type { Weighed } from './refusal.ts'
import { type Policy, usdMicros } from './policy.ts'
import { usdText } from './spend-limit.ts'

/** Above the policy's threshold a person must say yes. Nobody can be asked yet, so the call is refused. */
export function requireApproval(amountUsdMicros: bigint, { approvalThresholdUsd }: Policy): Weighed {
  if (approvalThresholdUsd === null || amountUsdMicros <= usdMicros(approvalThresholdUsd)) return { refusals: [] }
  const asked = usdText(amountUsdMicros)
  const refusal = {
    code: 'APPROVAL_REQUIRED',
    message: `A spend of ${asked} USD needs a person's approval; up to ${approvalThresholdUsd} USD do not.`,
    details: [{ message: 'threshold', thresholdUsd: approvalThresholdUsd, askedUsd: asked }],
  } as const
  return { refusals: [refusal] }
}
