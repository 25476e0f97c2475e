import type { LatestAudit, Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import { requireAccess } from '../auth/may.ts'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { CallResult } from '../dispatch/call-result.ts'
import type { OfferedTools } from '../dispatch/offered-tools.ts'
import type { Ports } from '../ports.ts'

/** What prompts, resources and completions reach. */
export type GuideDeps = {
  readonly tools: Pick<OfferedTools, 'require' | 'isOpenTo'>
  readonly chains: Ports['chains']
  /** The pipeline of a call. */
  readonly call: (request: CallRequest) => Promise<CallResult>
  /** Of one principal, or of all where it is `null`; `null` itself where no audit log is written. */
  readonly latestAudit: ((principalId: string | null) => Promise<LatestAudit>) | null
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  readonly newRequestId: () => string
}

/** Throws what a call of the tool would be refused with before its arguments are read. */
export function requireTool(tools: Pick<OfferedTools, 'require'>, principal: Principal, name: string): void {
  requireAccess(tools.require(name), principal)
}
