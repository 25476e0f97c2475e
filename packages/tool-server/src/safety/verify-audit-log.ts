import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { auditGenesis, auditHash } from './audit.ts'

/**
 * Walks an audit log and checks that every line carries its own hash, the hash of the line before it and the next
 * number. Resolves to the count of sound lines and, where the chain breaks, the first line (from 1) that does not fit.
 */
export async function verifyAuditLog(
  path: string,
): Promise<{ readonly lines: number; readonly brokenAt: number | null }> {
  let expectedHash = auditGenesis
  let lines = 0
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const match = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/.exec(line)
    const body = match?.[1] === undefined ? null : `${match[1]}}`
    if (body === null || auditHash(body) !== match?.[2] || !follows(body, lines + 1, expectedHash)) {
      return { lines, brokenAt: lines + 1 }
    }
    lines += 1
    expectedHash = match[2]
  }
  return { lines, brokenAt: null }
}

function follows(body: string, seq: number, prevHash: string): boolean {
  const line: unknown = JSON.parse(body)
  return (
    typeof line === 'object' &&
    line !== null &&
    'seq' in line &&
    line.seq === seq &&
    'prevHash' in line &&
    line.prevHash === prevHash
  )
}
