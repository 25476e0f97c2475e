import { ToolError } from '@svc/amm'
import { type AuditHead, type SharedSwitches, StoreError } from '@svc/store'
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

/**
 * What the servers of a database say of the API keys that clients come with: the one that leads keeps it there for the others, and whoever takes
 * the lead later keeps what it has said itself. The engine knows neither keys nor their form.
 */
export function createSharedKeys(switches: SharedSwitches): LedKeys {
  let own: string | null = null
  const write = (text: string | null): Promise<boolean> =>
    switches.replace('keys', text).then(
      () => true,
      (error: unknown) => {
        if (error instanceof StoreError && error.code === 'NOT_LEADER') return false
        throw error
      },
    )
  return Object.freeze({
    read: () => switches.read('keys'),
    keep: (text: string) => {
      own = text
      return write(text)
    },
    async lead(how: 'start' | 'takeover') {
      // A server that starts has said nothing yet, and what the one before it took may hold no more.
      if (own !== null || how === 'start') await write(own)
    },
  })
}

export type SharedKeys = {
  /** What the leader has said; `null` where it has not yet. */
  read(): Promise<string | null>
  /** Says it, as soon as this server leads and each time it leads again. False where it does not lead now. */
  keep(text: string): Promise<boolean>
}

export type LedKeys = SharedKeys & {
  /** With the lead, before anything is served. */
  lead(how: 'start' | 'takeover'): Promise<void>
}
