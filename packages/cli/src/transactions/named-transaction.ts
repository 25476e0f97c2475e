import type { StoredTransaction, Transactions } from '@svc/store'
import type { OpenOperations } from '../approvals/open-operations.ts'
import { type FlagNames, type Flags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { isNoOp } from '@svc/wallet/core'

/** Splits the words after a subcommand into the hash of a transaction and its flags, in any order. Throws `UsageError`. */
export function readHashAndFlags<const Name extends string, const Switch extends string>(
  subcommand: string,
  argv: readonly string[],
  names: FlagNames<Name, Switch>,
): { readonly hash: `0x${string}`; readonly flags: Flags<Name, Switch> } {
  const { words, flags } = parseWordsAndFlags(argv, names)
  const [word = '', more] = words
  if (more !== undefined || !isHash(word)) {
    throw new UsageError(
      `svc transactions ${subcommand} takes the hash of one transaction: 0x and 64 hex digits; svc transactions list shows them`,
    )
  }
  return { hash: word, flags }
}

function isHash(word: string): word is `0x${string}` {
  return /^0x[0-9a-f]{64}$/.test(word)
}

/** The transaction of this hash. Throws when the journal holds none. */
export async function findTransaction(
  { transactions }: Pick<OpenOperations, 'transactions'>,
  hash: `0x${string}`,
): Promise<StoredTransaction> {
  const found = await transactions.byHash(hash)
  if (found !== null) return found
  throw new Error(`The journal holds no transaction ${hash}. svc transactions list shows what is open.`)
}

/** Looks until a request has ended, an empty transfer is out, time is up or the command is asked to end. */
export async function untilTaken(
  transactions: Transactions,
  hash: `0x${string}`,
  { waitSeconds, stopped }: { readonly waitSeconds: number; readonly stopped: Promise<unknown> },
): Promise<Seen> {
  const until = performance.now() + waitSeconds * 1_000
  let isAsked = true
  void stopped.then(() => (isAsked = false))
  for (;;) {
    const transaction = await findTransaction({ transactions }, hash)
    const attempts = await transactions.byNonce(transaction.chainId, transaction.from, transaction.nonce)
    const noOp = attempts.findLast(isNoOp)
    const isOut = transaction.asked?.what === 'cancel' && noOp !== undefined && noOp.state !== 'signed'
    const isTaken = transaction.asked?.outcome !== null || isOut
    if (isTaken || !isAsked || performance.now() >= until) return { transaction, noOp }
    await sleep(lookEveryMs)
  }
}

export type Seen = { readonly transaction: StoredTransaction; readonly noOp: StoredTransaction | undefined }

const lookEveryMs = 200

/** The command that shows what became of a transaction, on the data directory that was named. */
export function followWith(hash: string, dataDir: string | undefined): string {
  return `svc transactions show ${hash}${dataDir === undefined ? '' : ` --data-dir ${dataDir}`}`
}
