import { createHash } from 'node:crypto'
import type { Call } from '../call/call.ts'
import type { AuditLog } from './audit.ts'

/** What every audit line about a call says of it: who asked, through which entrance, for which tool. */
export function callFacts({ requestId, tool, principal }: Call) {
  const { id, stage, tier } = principal
  return { requestId, tool, actor: { principal: id, stage, tier } }
}

/** Leaves a line about a write that is asked for. It is on disk before the line of its first transaction. */
export function auditToolCall(audit: Pick<AuditLog, 'note'>, call: Call): void {
  audit.note({ event: 'tool.called', ...callFacts(call), params: call.input, paramsHash: paramsHash(call.input) })
}

/** SHA-256 of a call's arguments, the same for equal ones whatever the order of their members. */
export function paramsHash(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(ordered(input)) ?? 'undefined')
    .digest('hex')
}

function ordered(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  )
}
