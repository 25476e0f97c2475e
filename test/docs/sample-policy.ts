/** The policy that `docs/policy.md` begins with. */
export const samplePolicy = {
  version: 1,
  limitsUsd: { perTransaction: '500', perSession: '1000', daily: '2000' },
  approvalThresholdUsd: '250',
  allowlist: { mode: 'strict', tokens: {} },
} as const
