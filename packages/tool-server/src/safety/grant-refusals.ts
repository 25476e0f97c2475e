import type { Call } from '../call.ts'
import type { Policy } from './policy.ts'
import { grantOf } from './policy-for.ts'
import type { Refusal } from './refusal.ts'

/** Refuses a tool that the operator left out of what the caller may use. */
export function grantRefusals(
  { tool, principal }: Pick<Call, 'tool' | 'principal'>,
  policy: Policy,
): readonly Refusal[] {
  const tools = grantOf(policy, principal.id)?.tools
  if (tools === undefined || tools.includes(tool)) return []
  return [
    {
      code: 'PRINCIPAL_NOT_GRANTED',
      message: `The policy does not grant ${tool} to this caller.`,
      details: [{ message: 'what the policy grants', principal: principal.id, tools }],
    },
  ]
}
