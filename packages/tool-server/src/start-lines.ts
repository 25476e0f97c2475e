import type { StartFacts } from './start-facts.ts'

/** The same for a terminal, one line each. */
export function startLines({ mode, wallet, policy, limitsUsd, allowlist }: StartFacts): string {
  const { perTransaction, perSession, daily, approvalAbove } = limitsUsd
  const asked = approvalAbove === null ? 'nobody is asked' : `a person is asked above ${approvalAbove}`
  return [
    mode === 'production' ? 'mode: production' : 'mode: development; the rules of NODE_ENV=production do not hold',
    `wallet: ${wallet === 'none' ? 'none, so nothing is signed' : wallet}`,
    `policy: ${policy === 'defaults' ? 'defaults' : JSON.stringify(policy).slice(1, -1)}`,
    `limits: ${perTransaction} USD a transaction, ${perSession} a session, ${daily} a day; ${asked}; allowlist ${allowlist}`,
    '',
  ].join('\n')
}
