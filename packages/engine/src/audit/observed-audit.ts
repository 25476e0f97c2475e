import type { AuditEvent, AuditLog } from './audit.ts'

/**
 * The same log, of whose lines somebody else hears: of one that is appended once it is on disk, of one that is noted at once. `heard` must
 * not throw: a line that is on disk would seem to have failed.
 */
export function observedAudit(log: AuditLog, heard: ((event: AuditEvent) => void) | undefined): AuditLog {
  if (heard === undefined) return log
  return Object.freeze({
    ...log,
    append: async (event: AuditEvent) => {
      await log.append(event)
      heard(event)
    },
    note: (event: AuditEvent) => {
      log.note(event)
      heard(event)
    },
  })
}
