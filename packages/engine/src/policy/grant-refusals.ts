import type { Policy } from './policy.ts'
import { grantOf } from './policy-for.ts'
import type { Refusal } from '../context/refusal.ts'

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
