import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readCheckpoints, rotatedFiles } from './audit-files.ts'

/**
 * Which files of an audit log stand in a data directory, and with which numbers it can be verified from: 1, and each
 * whose predecessor has a checkpoint, the number that the file in use will get included.
 */
export async function auditLogFiles(dataDir: string): Promise<AuditLogFiles> {
  const [current, files, checkpoints] = await Promise.all([
    sizeOf(join(dataDir, 'audit.jsonl')),
    rotatedFiles(dataDir),
    readCheckpoints(dataDir),
  ])
  const rotated = files.map(({ index }) => index)
  const next = Math.max(0, ...rotated, ...checkpoints.keys()) + 1
  const begins = current === null ? rotated : [...rotated, next]
  return {
    rotated,
    current: current === null ? null : { number: next, isEmpty: current === 0 },
    verifiableFrom: begins.filter((index) => index === 1 || checkpoints.has(index - 1)),
  }
}

export type AuditLogFiles = {
  /** Numbers of the rotated files, ascending. */
  readonly rotated: readonly number[]
  /** `audit.jsonl`, and the number it will get; `null` where it is missing. */
  readonly current: { readonly number: number; readonly isEmpty: boolean } | null
  readonly verifiableFrom: readonly number[]
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
