import { undecided } from '@svc/tool-server/operator-status'
import { openOperations } from '../approvals/open-operations.ts'
import { table } from '../terminal-text.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import {
  type TransactionDescription,
  describeTransactions,
  stateWords,
  outcomeWords,
  findTransaction,
  readHashAndFlags,
} from './describe-transactions.ts'
import type { StoredTransaction, Transactions, OperatorRequest } from '@svc/store'
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
function stepText({ step, label }: Pick<TransactionDescription, 'step' | 'label'>): string {
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

/** `svc transactions show HASH`: how one stands, what else was signed at its nonce, and what was asked about it. */
export async function show(argv: readonly string[]): Promise<number> {
  const { hash, flags } = readHashAndFlags('show', argv, { values: ['data-dir'], switches: ['json'] })
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { chainId, from, nonce } = await findTransaction(open, hash)
    const attempts = await describeTransactions(open, await open.transactions.byNonce(chainId, from, nonce), Date.now())
    const described = attempts.find((one) => one.hash === hash)
    if (described === undefined) throw new Error(`The journal holds no transaction ${hash} any more.`)
    const { printable } = await import('@svc/runtime')
    const text = flags.json
      ? JSON.stringify({ ...described, attempts })
      : showText(described, attempts, (word) => printable(word, 300))
    process.stdout.write(`${text}\n`)
    return 0
  } finally {
    await open.close()
  }
}

function showText(
  one: TransactionDescription,
  attempts: readonly TransactionDescription[],
  printable: (text: string) => string,
): string {
  const asker = [one.tool, one.caller].filter((word) => word !== null).map(printable)
  const facts: readonly (readonly [string, string])[] = [
    ['state', `${stateWords[one.state]}${one.block === null ? '' : `, block ${one.block}`}`],
    ['signed', one.signedAt],
    ['chain', one.chain === null ? `${one.chainId}` : `${one.chain} (${one.chainId})`],
    ['wallet', one.wallet],
    ['nonce', `${one.nonce}, attempt ${one.attempt + 1} of ${attempts.length}`],
    ...(one.isNoOp ? [] : [['step', printable(stepText(one))] as const]),
    ['calls', one.isNoOp ? 'nothing: an empty transfer that uses the nonce up' : `${one.to} ${one.selector}`],
    ['sends', `${one.valueWei} wei`],
    [
      'fees',
      `at most ${one.maxFeeGwei} gwei, tip ${one.maxPriorityFeeGwei} gwei, gas limit ${one.gasLimit}: ${one.gasAtMost} of native currency at most`,
    ],
    ['asked by', [...asker, printable(`request ${one.requestId}`)].join(', ')],
    ['replaced by', one.replacedBy ?? 'nothing'],
    [
      'operator',
      one.asked === null ? 'nothing was asked' : printable(outcomeText(one.asked, one.replacedBy, one.state)),
    ],
  ]
  const others = attempts.filter(({ hash }) => hash !== one.hash)
  return [
    `Transaction ${one.hash}`,
    ...facts.map(([name, text]) => `  ${name.padEnd(12)}${text}`),
    ...(others.length === 0 ? [] : ['Also signed at its nonce:']),
    ...others.map((other) => `  ${other.hash}  ${stateWords[other.state]}${other.isNoOp ? ', empty transfer' : ''}`),
  ].join('\n')
}

/**
 * What became of a request about a transaction, in a sentence. `at` as it is to be printed. The journal has the end a
 * moment before the request has it: until then `state` says what it comes to.
 */
export function outcomeText(
  { what, by, at, outcome }: Omit<OperatorRequest, 'at'> & { readonly at: string },
  replacedBy: string | null,
  state: JournalState,
): string {
  const asked = what === 'cancel' ? 'cancellation' : `resolution by ${what}`
  const said = `${asked} asked by ${by} at ${at}`
  if (outcome === null && isOver.has(state)) return `${said}; ${stateWords[state]}, which is being put on record`
  if (outcome === null) return `${said}; it has not ended`
  return `${said}: ${outcomeWords[outcome]}${outcome === 'cancelled' && replacedBy !== null ? `: ${replacedBy}` : ''}`
}

const isOver: ReadonlySet<JournalState> = new Set<JournalState>(['final', 'reverted', 'replaced', 'superseded'])
