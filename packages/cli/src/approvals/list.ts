import type { Operation } from '@svc/store'
import { amountText, describeOperation, dollars, timeLeft, type OperationDescription } from '@svc/tool-server/approvals'
import { parseFlags } from '../parse-flags.ts'
import { openOperations, type OpenOperations } from './open-operations.ts'
import { table } from './table.ts'

/**
 * `svc approvals list`: what may still happen: it awaits a decision, was approved and not used, or is scheduled; with `--all`
 * what became of others too.
 */
export async function list(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir'], switches: ['json', 'all'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const described = await describeMany(open, flags.all)
    process.stdout.write(
      flags.json ? `${JSON.stringify({ operations: described })}\n` : listText(described, Date.now()),
    )
    return 0
  } finally {
    await open.close()
  }
}

/**
 * What waits comes first, those that await a decision before all others, whatever else a caller has made so many of; with
 * `all` the newest of what has ended follow. Plans that nobody is asked about are left out.
 */
export async function describeMany(
  open: Pick<OpenOperations, 'operations'>,
  all: boolean,
): Promise<readonly OperationDescription[]> {
  const groups = [['awaiting_approval'], ['approved', 'scheduled'], ...(all ? [ended] : [])] as const
  const found: readonly (readonly Operation[])[] = await Promise.all(
    groups.map((states) => open.operations.list({ principalId: null, states, limit: mostShown })),
  )
  return found.flat().map(describeOperation)
}

const ended = ['running', 'done', 'failed', 'denied', 'cancelled', 'expired'] as const

/** Of each group. */
const mostShown = 500

function listText(operations: readonly OperationDescription[], now: number): string {
  if (operations.length === 0) return 'No operation awaits a decision, is approved or is scheduled.\n'
  const head = ['ID', 'STATE', 'TOOL', 'CALLER', 'LEAVES AT MOST', 'USD', 'LEFT', 'NOT BEFORE']
  const rows = operations.map((operation) => [
    operation.id,
    operation.state,
    operation.tool,
    operation.caller,
    operation.leavesAtMost.map(amountText).join(' + ') || 'nothing',
    dollars(operation.spendUsd),
    operation.expiresAt === null ? '' : timeLeft(operation.expiresAt, now),
    operation.executeAfter === null ? '' : new Date(operation.executeAfter).toISOString(),
  ])
  return table([head, ...rows], { alignRight: [5] })
}
