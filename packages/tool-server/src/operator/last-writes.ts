import { readLatestAudit } from '@svc/engine/switches'

/** How the writes asked for last ended, newest first, by the audit log of a data directory: what is on this disk alone. */
export async function readLastWrites(dataDir: string): Promise<readonly LastWrite[]> {
  const { lines } = await readLatestAudit(dataDir, null)
  return lines.flatMap((line) => writeOf(line) ?? []).slice(0, mostShown)
}

export type LastWrite = {
  /** ISO 8601. */
  readonly at: string
  readonly tool: string
  readonly outcome: 'settled' | 'refused' | 'failed' | 'waits for a person' | 'scheduled'
  /** Of a write that was refused or failed. */
  readonly code: string | null
  /** Decimal US dollars; `null` where nothing was settled. */
  readonly spentUsd: string | null
  /** The most that it could have lost in value, as it counts against the budget. */
  readonly lostUsd: string | null
  /** Of the last transaction. */
  readonly txHash: string | null
}

const outcomes = new Map<string, LastWrite['outcome']>([
  ['tx.settled', 'settled'],
  ['tx.refused', 'refused'],
  ['tx.failed', 'failed'],
  ['tx.approval.requested', 'waits for a person'],
  ['tx.scheduled', 'scheduled'],
])

const mostShown = 5

type Line = { readonly event: string; readonly ts: string; readonly [fact: string]: unknown }

function writeOf(line: Line): LastWrite | null {
  const outcome = outcomes.get(line.event)
  if (outcome === undefined) return null
  const { tool, transactions } = line
  return {
    at: line.ts,
    tool: textOf(tool) ?? 'unknown',
    outcome,
    code: textOf(line['code']),
    spentUsd: textOf(line['spentUsd']),
    lostUsd: textOf(line['lostUsd']),
    txHash: Array.isArray(transactions) ? textOf(transactions.at(-1)) : null,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
