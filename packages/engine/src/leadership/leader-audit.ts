import { ToolError } from '@svc/amm'
import type { AuditHead } from '@svc/store'
import type { AuditEvent, AuditLog, OpenedAuditLog } from '../audit/audit.ts'
import type { PipelineLog } from '../call/refusal.ts'

/**
 * The audit log of a server that writes for a time. While it leads, lines go into its files; while another does, that one keeps the chain,
 * and what this one turns away stands in its own log alone. A line that something rests on is refused with `NOT_LEADER` then.
 */
export function createLeaderAudit({ open, log }: LeaderAuditOptions): LeaderAudit {
  let current: OpenedAuditLog | null = null
  let last: AuditHead | null = null
  const close = async (): Promise<void> => {
    const closing = current
    current = null
    await closing?.close()
    last = closing?.head() ?? last
  }
  const noteElsewhere = ({ event, ...facts }: AuditEvent): void =>
    log.info('audit.elsewhere', { auditEvent: event, ...facts })
  return {
    audit: {
      append: async (event) => {
        if (current !== null) return current.append(event)
        if (!restsOnNothing(event))
          throw new ToolError('NOT_LEADER', 'Another server writes with this wallet and keeps the audit log.')
        noteElsewhere(event)
      },
      note: (event) => {
        if (current === null) noteElsewhere(event)
        else current.note(event)
      },
      close,
    },
    head: () => current?.head() ?? last,
    async lead(from) {
      last = null
      current = await open(from)
    },
    async follow() {
      await close()
      last = null
    },
  }
}

/** Who comes, to see: nothing is written by it. */
function restsOnNothing({ event }: AuditEvent): boolean {
  return event.startsWith('auth.') || event === 'operator.signed-in'
}

export type LeaderAudit = {
  readonly audit: AuditLog
  /** The last line that is on disk; `null` before the first, and while another server leads. */
  head(): AuditHead | null
  /** Opens the files, which go on where the leader before stopped. */
  lead(from: Continued | null): Promise<void>
  follow(): Promise<void>
}

/** Where the chain stands, and whether this directory kept it. */
type Continued = AuditHead & { readonly isOwn: boolean }

export type LeaderAuditOptions = {
  readonly open: (from: Continued | null) => Promise<OpenedAuditLog>
  readonly log: Pick<PipelineLog, 'info'>
}
