import { expect, it } from 'vitest'
import type { Call } from '../call/call.ts'
import { ToolError } from '@svc/amm'
import { neededApproval, requireNoNewApproval } from './needed-approval.ts'
import { type ApprovalChannel, parsePolicy } from '../policy/policy.ts'

const spend = {
  amountUsdMicros: 250_000_001n,
  gasUsdMicros: 0n,
  isGuess: false,
  isExit: false,
  homeUsdMicros: 0n,
  isSureHome: false,
  budgets: [],
}
const policyWith = (...channels: ApprovalChannel[]) =>
  parsePolicy({ approvalThresholdUsd: '250', approvals: { channels } }, { production: false })
const decidedBy = (by: string | null) => ({ carriesOut: { decidedBy: by } as Call['carriesOut'] })

function codeOf(work: () => void): string | null {
  try {
    work()
    return null
  } catch (error) {
    if (error instanceof ToolError) return error.code
    throw error
  }
}

it.each([
  ['client:key:owner', policyWith('operator', 'client'), true],
  ['client:key:owner', policyWith('operator'), false],
  ['operator:ann', policyWith('operator'), true],
  ['operator:ann', policyWith('client'), false],
  ['operatorx:ann', policyWith('operator'), false],
  [null, policyWith('operator', 'client'), false],
] as const)('a word of %s counts over a channel that the policy still names', (by, policy, isEnough) => {
  expect(neededApproval(spend, policy, decidedBy(by))?.code ?? null).toBe(isEnough ? null : 'APPROVAL_REQUIRED')
  const again = () => codeOf(() => requireNoNewApproval(spend, policy, decidedBy(by)))
  expect(again()).toBe(isEnough ? null : 'APPROVAL_REQUIRED')
})

it('asks about more than the threshold, and about nothing without one', () => {
  const call = { carriesOut: null }
  expect(neededApproval({ ...spend, amountUsdMicros: 250_000_000n }, policyWith('operator'), call)).toBeNull()
  expect(neededApproval(spend, { ...policyWith('operator'), approvalThresholdUsd: null }, call)).toBeNull()
})
