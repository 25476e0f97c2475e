import { createHash } from 'node:crypto'
import type { Policy } from './policy.ts'

/** SHA-256 of a policy as it is in force for all callers, defaults included. */
export function policyHash(policy: Policy): string {
  return createHash('sha256').update(JSON.stringify(policy)).digest('hex')
}
