import type { RoleFacts } from '@svc/engine'
import type { Tool } from '../tool.ts'

/** Nothing is begun, kept or audited by a server that follows another one. Throws `NOT_LEADER`. */
export async function requireLeader({ access }: Pick<Tool, 'access'>, write: Leads | null): Promise<void> {
  if (access !== 'read') await write?.requireLeader?.()
}

export type Leads = {
  /** Throws `NOT_LEADER` of a server that follows another one on a shared database. */
  readonly requireLeader?: () => Promise<void>
  /** Whether it leads there. */
  readonly role?: () => RoleFacts
  /** Aborted when it leads no more; `null` where no other could. */
  readonly term?: () => AbortSignal | null
}
