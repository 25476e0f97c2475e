import type { OperatorRequest } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'
import { openOperations } from '../approvals/open-operations.ts'
import { type TransactionDescription, describeTransactions, outcomeWords, stateWords } from './describe-transactions.ts'
import { stepText } from './list.ts'
import { findTransaction, readHashAndFlags } from './named-transaction.ts'

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
