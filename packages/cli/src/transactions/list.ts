import { undecided } from '@svc/tool-server/operator-status'
import { openOperations } from '../approvals/open-operations.ts'
import { table } from '../table.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { type TransactionDescription, describeTransactions, stateWords } from './describe-transactions.ts'
import type { StoredTransaction, Transactions } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'

/**
 * `svc transactions list`: everything that is signed and not decided yet, of every wallet; with `--all` the newest of the
 * others after it, and how many older ones are left out.
 */
export async function list(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir'], switches: ['json', 'all'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const now = Date.now()
    const { found, leftOut } = await shownTransactions(open.transactions, flags.all ? mostDecided : 0)
    const described = await describeTransactions(open, found, now)
    if (flags.json) process.stdout.write(`${JSON.stringify({ transactions: described, leftOut })}\n`)
    else process.stdout.write(await listText(described, leftOut))
    return 0
  } finally {
    await open.close()
  }
}

/** The newest. */
const mostDecided = 500

async function listText(transactions: readonly TransactionDescription[], leftOut: number): Promise<string> {
  if (transactions.length === 0) return 'No transaction is out.\n'
  const { printable } = await import('@svc/runtime')
  const head = ['HASH', 'CHAIN', 'NONCE', 'STATE', 'AGE', 'TOOL', 'STEP', 'MAX FEE', 'REPLACED BY', 'WALLET', 'REQUEST']
  const rows = transactions.map((one) => [
    one.hash,
    one.chain ?? `${one.chainId}`,
    `${one.nonce}`,
    stateText(one),
    ageText(one.ageSeconds),
    one.isNoOp ? 'empty transfer' : printable(one.tool ?? '', 40),
    one.isNoOp ? '' : printable(stepText(one), 60),
    `${one.maxFeeGwei} gwei`,
    one.replacedBy === null ? '' : `${one.replacedBy.slice(0, 10)}...`,
    `${one.wallet.slice(0, 6)}...${one.wallet.slice(-4)}`,
    one.isNoOp ? '' : printable(one.requestId, 64),
  ])
  const shown = table([head, ...rows], { alignRight: [2, 7] })
  return leftOut === 0 ? shown : `${shown}${leftOut} older ones that are decided are left out.\n`
}

/** For example "2 swap": which of its request's it is, and what it does. */
export function stepText({ step, label }: Pick<TransactionDescription, 'step' | 'label'>): string {
  return `${step + 1}${label === null ? '' : ` ${label}`}`
}

function stateText({ state, asked }: TransactionDescription): string {
  const isAsked = asked !== null && asked.outcome === null
  return isAsked ? `${stateWords[state]}, ${asked.what === 'cancel' ? 'cancel' : 'resolve'} asked` : stateWords[state]
}

/** For a person: "9 min", "2 h", "3 days". */
function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

/**
 * Everything that is not decided, and after it so many of the newest of the rest, each oldest first; `leftOut` counts the
 * older ones of the rest, and is 0 where none of the rest is asked for.
 */
export async function shownTransactions(
  transactions: Pick<Transactions, 'list' | 'count'>,
  mostDecided: number,
): Promise<{ readonly found: readonly StoredTransaction[]; readonly leftOut: number }> {
  const found = await transactions.list({ states: undecided })
  if (mostDecided === 0) return { found, leftOut: 0 }
  const rest = await transactions.list({ states: decided, limit: mostDecided })
  return { found: [...found, ...rest], leftOut: Math.max(0, (await transactions.count(decided)) - rest.length) }
}

const decided = ['final', 'reverted', 'replaced', 'superseded'] as const satisfies readonly JournalState[]
