import { dollars, shortAmountText, timeLeft, operationText } from '@svc/engine/approvals'
import { parseFlags } from '../parse-words-and-flags.ts'
import { openOperations, findOperation, readIdAndFlags } from './open-operations.ts'
import { moreText, readList, type OperationList } from '@svc/tool-server/operator-page'
import { isThere } from '../policy/policy-place.ts'
import { readSigningState } from '@svc/engine/switches'
import { stopSentences } from '../commands/pause.ts'
import { printableText, table } from '../terminal-text.ts'

/**
 * `svc approvals list`: what may still happen: it awaits a decision, was approved and not used, or is scheduled; with `--all`
 * what became of others too, with `--caller ID` of one caller alone and more of it. Behind it, what stops signing.
 */
export async function list(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'caller'], switches: ['json', 'all'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const found = await readList(open.operations, { all: flags.all, caller: flags.caller })
    if (flags.json) process.stdout.write(`${JSON.stringify(found)}\n`)
    else {
      // The switches are files of the server's machine, which with PostgreSQL may be another.
      const stops = (await isThere(open.dataDir)) ? stopSentences(await readSigningState(open.place), open.dataDir) : []
      process.stdout.write([listText(found, flags.caller, Date.now()), ...stops.map((one) => `${one}\n`)].join(''))
    }
    return 0
  } finally {
    await open.close()
  }
}

function listText({ operations, more }: OperationList, caller: string | undefined, now: number): string {
  if (operations.length === 0) {
    const whose = caller === undefined ? '' : ` of the caller ${printableText(caller.slice(0, 128))}`
    const callers = caller === undefined ? '' : ' svc keys list prints the callers of this server.'
    return `No operation${whose} awaits a decision, is approved or is scheduled.${callers}\n`
  }
  const head = ['ID', 'STATE', 'TOOL', 'CALLER', 'LEAVES AT MOST', 'USD', 'LEFT', 'NOT BEFORE']
  const rows = operations.map((operation) => [
    operation.id,
    operation.state,
    operation.tool,
    operation.caller,
    operation.leavesAtMost.map((amount) => shortAmountText(amount, 'up')).join(' + ') || 'nothing',
    dollars(operation.spendUsd),
    leftText(operation, now),
    operation.executeAfter === null ? '' : new Date(operation.executeAfter).toISOString(),
  ])
  const rest = more.length === 0 ? [] : [...more.map(moreText), 'All of one caller: svc approvals list --caller ID']
  return [table([head, ...rows], { alignRight: [5] }), ...rest.map((line) => `${line}\n`)].join('')
}

/** Empty for what is decided against, carried out or over: no time runs out for it. */
function leftText({ state, expiresAt }: OperationList['operations'][number], now: number): string {
  const isOpen = state === 'awaiting_approval' || state === 'approved'
  return isOpen && expiresAt !== null ? timeLeft(expiresAt, now) : ''
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
