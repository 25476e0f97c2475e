import type { LatestAudit } from '@svc/engine'
import { printable } from '@svc/runtime'

type AuditLine = LatestAudit['lines'][number]

/**
 * Lines of the audit log as JSON for a caller, newest first: so many and so long that one answer holds them, in printable ASCII, without the
 * hashes, which prove nothing of a part.
 */
export function formatAudit({ lines, isCut }: LatestAudit, nowMs: number): string {
  const shown: object[] = []
  let size = 0
  for (const line of lines.slice(0, mostLines)) {
    const fitting = fittingLine(line)
    size += JSON.stringify(fitting).length
    if (size > mostCharacters) break
    shown.push(fitting)
  }
  const notes = [
    ...(shown.some((line) => 'shortened' in line) ? [shortenedNote] : []),
    ...(isCut || shown.length < lines.length ? [olderNote] : []),
  ]
  const answer = { lines: shown, notes, timestamp: new Date(nowMs).toISOString(), source: 'audit' }
  return printable(JSON.stringify(answer), Number.POSITIVE_INFINITY)
}

const mostLines = 50
const mostCharacters = 48_000
const mostOfOne = 4_000
const shortenedNote = 'Of lines with "shortened" the facts are left out; svc audit show --request has them.'
const olderNote = 'Older lines are not shown; svc audit show has them.'

function fittingLine({ v: _version, prevHash: _previous, hash: _hash, ...line }: AuditLine): object {
  if (JSON.stringify(line).length <= mostOfOne) return line
  const { seq, ts, event, requestId, actor, tool } = line
  const named = typeof tool === 'string' ? { tool: tool.slice(0, 64) } : {}
  return { seq, ts, event, requestId, ...named, actor: { principal: actor?.principal }, shortened: true }
}
