import { parsePolicy } from '../../../policy.ts'

/** Of any 24 hours, in US dollars. */
export const dailyLimitUsd = 300_000
/** As the policy has it where it says nothing else: 2 % of the daily limit. */
export const dailyLossUsd = dailyLimitUsd / 50

const limitsUsd = { perTransaction: '100000', perSession: `${dailyLimitUsd}`, daily: `${dailyLimitUsd}` }
export const lenientPolicy = parsePolicy({ limitsUsd, allowlist: { mode: 'lenient' } }, { production: false })
export const strictPolicy = parsePolicy({ limitsUsd, allowlist: { mode: 'strict' } }, { production: false })
