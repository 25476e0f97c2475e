import type { RiskTier } from '../intent.ts'
import type { Policy } from './policy.ts'
import type { Weighed } from './refusal.ts'

/** A call of a tier with a delay cannot be carried out at once, and none can be carried out later: it is refused. */
export function waitForDelay(tier: RiskTier, { proxyDelay, delaySeconds }: Policy): Weighed {
  const seconds = delaySeconds[tier]
  if (!proxyDelay || seconds === 0) return { refusals: [] }
  const refusal = {
    code: 'DELAY_REQUIRED',
    message: `Calls of the risk tier "${tier}" must wait ${seconds} seconds before they are signed.`,
    details: [{ message: 'delay', tier, delaySeconds: seconds }],
  } as const
  return { refusals: [refusal] }
}
