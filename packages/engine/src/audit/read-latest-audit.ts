import { open } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { rotatedFiles } from './audit-files.ts'

/**
 * The newest lines of the audit log in a data directory, newest first, out of its last half mebibyte: of one principal the lines that name it
 * and those of the same requests, of everybody where it is `null`. It may run beside the server. What is no line of ours is left out.
 */
export async function readLatestAudit(dataDir: string, principalId: string | null): Promise<LatestAudit> {
  const current = await tailOf(join(dataDir, 'audit.jsonl'), windowBytes)
  const rotated = current.isCut ? [] : await rotatedFiles(dataDir)
  const newest = rotated.at(-1)
  const before = newest === undefined ? nothing : await tailOf(join(dataDir, newest.name), windowBytes - current.bytes)
  const lines = [...before.texts, ...current.texts].flatMap(lineOf)
  const isCut = current.isCut || before.isCut || rotated.length > 1
  return { lines: ownLines(lines, principalId).toReversed(), isCut }
}

export type LatestAudit = {
  readonly lines: readonly AuditLine[]
  /** Whether there are older lines that were not looked at. */
  readonly isCut: boolean
}

/** What every line has, and whatever facts belong to its event. */
export type AuditLine = z.output<typeof auditLine>

const auditLine = z.looseObject({
  seq: z.int(),
  ts: z.string(),
  event: z.string(),
  requestId: z.string().optional(),
  actor: z.looseObject({ principal: z.string() }).optional(),
})

const windowBytes = 512 * 1024

function ownLines(lines: readonly AuditLine[], principalId: string | null): readonly AuditLine[] {
  if (principalId === null) return lines
  const isNamed = ({ actor }: AuditLine) => actor?.principal === principalId
  const requests = new Set(lines.filter(isNamed).map(({ requestId }) => requestId))
  requests.delete(undefined)
  return lines.filter((line) => isNamed(line) || (line.actor === undefined && requests.has(line.requestId)))
}

function lineOf(text: string): readonly AuditLine[] {
  try {
    const line = auditLine.safeParse(JSON.parse(text))
    return line.success ? [line.data] : []
  } catch {
    return []
  }
}

type Tail = { readonly texts: readonly string[]; readonly bytes: number; readonly isCut: boolean }

const nothing: Tail = { texts: [], bytes: 0, isCut: false }

/** The whole lines among the last bytes of a file; nothing where there is none. */
async function tailOf(path: string, mostBytes: number): Promise<Tail> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (file === null) return nothing
  try {
    const { size } = await file.stat()
    const isCut = size > mostBytes
    const bytes = Buffer.alloc(Math.min(size, mostBytes))
    await file.read(bytes, 0, bytes.length, size - bytes.length)
    const start = isCut ? bytes.indexOf(newline) + 1 : 0
    return { texts: bytes.toString('utf8', start).split('\n'), bytes: bytes.length, isCut }
  } finally {
    await file.close()
  }
}

