import { join } from 'node:path'
import { makeDirectory } from '@svc/runtime'
import { acquireServerLock } from '@svc/store'
import { type AuditLog, openAuditLog } from './audit.ts'

/**
 * Does what is audited before there is an engine, as the only server of the directory: makes the directory, holds its lock, and closes the
 * audit log whatever comes out. Throws `StoreError` `DATA_DIR_LOCKED` when another server holds it.
 */
export async function withAuditLog<Value>(
  { dataDir, scrub }: { readonly dataDir: string; readonly scrub: (value: unknown) => unknown },
  work: (audit: Pick<AuditLog, 'append'>) => Promise<Value>,
): Promise<Value> {
  makeDirectory(dataDir)
  const lock = await acquireServerLock(dataDir)
  try {
    const audit = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now: Date.now, scrub })
    try {
      return await work(audit)
    } finally {
      await audit.close()
    }
  } finally {
    lock.release()
  }
}
