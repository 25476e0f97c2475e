import type { AuditLogFiles } from '@svc/engine/switches'

/**
 * The files of the audit log in a data directory. Throws where there are none: a log without lines is a day without
 * writes, while a log that is not there says nothing.
 */
export async function requireLog(dataDir: string): Promise<AuditLogFiles> {
  const { auditLogFiles } = await import('@svc/engine/switches')
  const files = await auditLogFiles(dataDir)
  if (files.current === null && files.rotated.length === 0) {
    throw new Error(
      `There is no audit log in ${dataDir}. A server with a wallet writes audit.jsonl there when it starts; if one has run ` +
        'here, its log was taken away.',
    )
  }
  return files
}

/** What is said of a log that is there and holds nothing. */
export const emptyLog = 'The audit log is empty.'

/** Whether the log is there and holds nothing. */
export function isEmptyLog({ rotated, current }: AuditLogFiles): boolean {
  return rotated.length === 0 && current?.isEmpty === true
}
