import { dollars, shortAmountText, timeLeft, operationText } from '@svc/engine/approvals'
import { parseFlags } from '../parse-words-and-flags.ts'
import { openOperations, findOperation, readIdAndFlags } from './open-operations.ts'
import { moreText, readList, type OperationList } from './read-list.ts'
import { table } from '../table.ts'

/**
 * `svc approvals list`: what may still happen: it awaits a decision, was approved and not used, or is scheduled; with `--all`
 * what became of others too, with `--caller ID` of one caller alone and more of it.
 */
export async function list(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'caller'], switches: ['json', 'all'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const found = await readList(open.operations, { all: flags.all, caller: flags.caller })
    process.stdout.write(flags.json ? `${JSON.stringify(found)}\n` : listText(found, Date.now()))
    return 0
  } finally {
    await open.close()
  }
}

function listText({ operations, more }: OperationList, now: number): string {
  if (operations.length === 0) return 'No operation awaits a decision, is approved or is scheduled.\n'
  const head = ['ID', 'STATE', 'TOOL', 'CALLER', 'LEAVES AT MOST', 'USD', 'LEFT', 'NOT BEFORE']
  const rows = operations.map((operation) => [
    operation.id,
    operation.state,
    operation.tool,
    operation.caller,
    operation.leavesAtMost.map((amount) => shortAmountText(amount, 'up')).join(' + ') || 'nothing',
    dollars(operation.spendUsd),
    operation.expiresAt === null ? '' : timeLeft(operation.expiresAt, now),
    operation.executeAfter === null ? '' : new Date(operation.executeAfter).toISOString(),
  ])
  const rest = more.length === 0 ? [] : [...more.map(moreText), 'All of one caller: svc approvals list --caller ID']
  return [table([head, ...rows], { alignRight: [5] }), ...rest.map((line) => `${line}\n`)].join('')
}

/** `svc approvals show ID`: in plain terms what would happen. */
export async function show(argv: readonly string[]): Promise<number> {
  const { id, flags } = readIdAndFlags('show', argv, { values: ['data-dir'], switches: ['json'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { description } = await findOperation(open, id)
    const text = flags.json ? JSON.stringify(description) : operationText(description, Date.now())
    process.stdout.write(`${text}\n`)
    return 0
  } finally {
    await open.close()
  }
}
