import type { RiskTier } from '../intent.ts'
import type { Policy } from './policy.ts'
import type { Weighed } from './refusal.ts'

/** Seconds between plan and signing for each risk tier, kept in production and wherever the policy says so. */
export const delaySeconds: Readonly<Record<RiskTier, number>> = {
  routine: 0,
  standard: 10 * 60,
  elevated: 60 * 60,
  critical: 24 * 60 * 60,
}

/** A call of a tier with a delay cannot be carried out at once, and none can be carried out later: it is refused. */
export function waitForDelay(tier: RiskTier, { proxyDelay }: Policy): Weighed {
  const seconds = delaySeconds[tier]
  if (!proxyDelay || seconds === 0) return { refusals: [] }
  const refusal = {
    code: 'DELAY_REQUIRED',
    message: `Calls of the risk tier "${tier}" must wait ${seconds} seconds before they are signed.`,
    details: [{ message: 'delay', tier, delaySeconds: seconds }],
  } as const
  return { refusals: [refusal] }
}
