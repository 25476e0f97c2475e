import { type Policy, usdMicros } from './policy.ts'
import type { Refusal } from '../call/refusal.ts'

/**
 * The policy as it holds for one caller: the lower of the common limits and of those granted to the principal; its
 * own 24 hours stand beside those of all callers. A grant cannot loosen anything, whatever it says.
 */
export function policyFor(policy: Policy, principalId: string): Policy {
  const grant = grantOf(policy, principalId)
  if (grant === undefined) return policy
  const { perTransaction, perSession, daily } = policy.limitsUsd
  const own = grant.limitsUsd
  return Object.freeze({
    ...policy,
    limitsUsd: {
      perTransaction: lower(perTransaction, own?.perTransaction),
      perSession: lower(perSession, own?.perSession),
      daily,
      ...(own?.daily === undefined ? {} : { principalDaily: lower(daily, own.daily) }),
    },
    approvalThresholdUsd:
      policy.approvalThresholdUsd === null
        ? (grant.approvalThresholdUsd ?? null)
        : lower(policy.approvalThresholdUsd, grant.approvalThresholdUsd),
  })
}

/** What the operator wrote down for a principal, if anything. */
export function grantOf({ principals }: Policy, principalId: string): Policy['principals'][string] | undefined {
  return Object.hasOwn(principals, principalId) ? principals[principalId] : undefined
}

/** Refuses a tool that the operator left out of what the caller may use. */
export function grantRefusals(tool: string, principalId: string, policy: Policy): readonly Refusal[] {
  const tools = grantOf(policy, principalId)?.tools
  if (tools === undefined || tools.includes(tool)) return []
  return [
    {
      code: 'PRINCIPAL_NOT_GRANTED',
      message: `The policy does not grant ${tool} to this caller.`,
      details: [{ message: 'what the policy grants', principal: principalId, tools }],
    },
  ]
}

function lower(common: string, granted: string | undefined): string {
  return granted !== undefined && usdMicros(granted) < usdMicros(common) ? granted : common
}
