import { parsePolicy } from '../../../policy/policy.ts'

/** Of any 24 hours, in US dollars. */
export const dailyLimitUsd = 300_000
/** As the policy has it where it says nothing else: 2 % of the daily limit. */
export const dailyLossUsd = dailyLimitUsd / 50

/** As the operator writes it. Nobody is asked. */
export function operatorPolicy(mode: 'strict' | 'lenient') {
  const limitsUsd = { perTransaction: '100000', perSession: `${dailyLimitUsd}`, daily: `${dailyLimitUsd}` }
  return { limitsUsd, allowlist: { mode }, approvalThresholdUsd: null }
}

export const lenientPolicy = parsePolicy(operatorPolicy('lenient'), { production: false })
export const strictPolicy = parsePolicy(operatorPolicy('strict'), { production: false })
