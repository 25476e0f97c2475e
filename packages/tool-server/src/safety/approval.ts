import type { Refusal } from './refusal.ts'
import { type Policy, usdMicros } from './policy.ts'
import { usdText } from './spend-limit.ts'

/** Above the policy's threshold a person must say yes. Nobody can be asked yet, so the call is refused. */
export function approvalRefusals(amountUsdMicros: bigint, { approvalThresholdUsd }: Policy): readonly Refusal[] {
  if (approvalThresholdUsd === null || amountUsdMicros <= usdMicros(approvalThresholdUsd)) return []
  const asked = usdText(amountUsdMicros)
  return [
    {
      code: 'APPROVAL_REQUIRED',
      message: `A spend of ${asked} USD needs a person's approval; up to ${approvalThresholdUsd} USD do not.`,
      details: [{ message: 'threshold', thresholdUsd: approvalThresholdUsd, askedUsd: asked }],
    },
  ]
}
