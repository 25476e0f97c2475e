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

/** Newest first. Those that await a decision come before those that have one. */
export async function describeMany(
  open: Pick<OpenOperations, 'operations'>,
  all: boolean,
): Promise<readonly OperationDescription[]> {
  const states = all ? {} : ({ states: ['awaiting_approval', 'approved', 'scheduled'] } as const)
  const found: readonly Operation[] = await open.operations.list({ principalId: null, ...states, limit: mostShown })
  const described = found.filter(({ state }) => state !== 'planned').map(describeOperation)
  const waits = ({ state }: OperationDescription) => state === 'awaiting_approval'
  return [...described.filter(waits), ...described.filter((operation) => !waits(operation))]
}

const mostShown = 100

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
