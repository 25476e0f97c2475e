import type { AuditEvent } from '../audit/audit.ts'

/** Who hears what the engine does: to count it, to announce it, to trace it. Throws nothing of its own and changes nothing. */
export type EngineObserver = {
  /** Each line of the audit log, as it is written. */
  readonly audited?: ((event: AuditEvent) => void) | undefined
  /** Runs one stage of the transaction pipeline, and gives or throws what that gives or throws. */
  readonly stage?: (<Value>(facts: StageFacts, run: () => Promise<Value>) => Promise<Value>) | undefined
}

export type StageFacts = {
  /** As `pipeline.ts` calls it. */
  readonly stage: string
  readonly tool: string
  readonly requestId: string
  readonly chainId: number
  readonly dryRun: boolean
}
