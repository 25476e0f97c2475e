import type * as z from 'zod'
import type { policySchema } from './policy-schema.ts'

/**
 * The policy of the local chain that `svc up` writes: high limits, nobody to ask, and the chain's own TWAMM hook, vaults and batch delegate.
 * Its money is worth nothing.
 */
export function devnetPolicy(
  named: Pick<z.input<typeof policySchema>, 'twammHooks' | 'vaults' | 'batchDelegate'> = {},
): z.input<typeof policySchema> {
  return {
    version: 1,
    limitsUsd: { perTransaction: '50000', perSession: '100000', daily: '250000' },
    approvalThresholdUsd: null,
    allowlist: { mode: 'lenient' },
    ...named,
    rateLimits: { unauthenticatedPerIp: 12_000, perIp: 120_000, perToken: 60_000 },
  }
}
