import type { StoredTransaction } from '@svc/store'
import { isNoOp } from '@svc/wallet/core'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { openOperations } from '../approvals/open-operations.ts'
import { operatorName } from '../own-data-directory.ts'
import { parseWholeNumber } from '../parse-words-and-flags.ts'
import { outcomeWords, stateWords } from './state-words.ts'
import { findTransaction, readHashAndFlags, untilTaken, type Seen, followWith } from './named-transaction.ts'

/**
 * `svc transactions cancel HASH`: asks the server that holds the wallet to use the nonce of a transaction up with an empty
 * transfer at higher fees. The request stands in the store; a running server takes it up within seconds, else the next
 * start does before it serves writes. Waits a while for that. Exit code 1 when it is certain that nothing was cancelled.
 */
export async function cancel(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { hash, flags } = readHashAndFlags('cancel', argv, { values: ['data-dir', 'wait'], switches: ['json'] })
  const waitSeconds = parseWholeNumber('--wait', flags.wait, 0, 3_600) ?? 15
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    requireCancellable(await findTransaction(open, hash))
    await open.transactions.ask(hash, { what: 'cancel', by: operatorName() })
    const seen = await untilTaken(open.transactions, hash, { waitSeconds, stopped })
    const outcome = seen.transaction.asked?.outcome ?? null
    const text = flags.json
      ? JSON.stringify({ hash, state: seen.transaction.state, outcome, noOp: seen.noOp?.hash ?? null })
      : textOf(seen, waitSeconds, followWith(hash, flags['data-dir']))
    process.stdout.write(`${text}\n`)
    return outcome === null || outcome === 'cancelled' ? 0 : 1
  } finally {
    await open.close()
  }
}

/** The store refuses these too; here they get words. */
function requireCancellable(transaction: StoredTransaction): void {
  const { hash, state } = transaction
  if (isNoOp(transaction))
    throw new Error(`${hash} is an empty transfer that uses a nonce up; there is nothing to cancel.`)
  if (state === 'signed' || state === 'broadcast') return
  if (state === 'mined')
    throw new Error(`${hash} is in a block already; it cannot be cancelled unless the block is undone.`)
  if (state === 'refused') {
    throw new Error(`The endpoint declined ${hash}; the server uses its nonce up by itself, at most a minute later.`)
  }
  throw new Error(`${hash} is ${stateWords[state]}; there is nothing left to cancel.`)
}

function textOf({ transaction, noOp }: Seen, waitSeconds: number, follow: string): string {
  const outcome = transaction.asked?.outcome ?? null
  if (outcome === 'cancelled') return `Cancelled: ${noOp?.hash ?? 'an empty transfer'} was mined in its place.`
  if (outcome !== null) return `Not cancelled: ${outcomeWords[outcome]}.`
  if (noOp !== undefined && noOp.state !== 'signed') {
    return `An empty transfer is out in its place: ${noOp.hash}\nThe chain mines one of the two. Which one: ${follow}`
  }
  return (
    `Asked. No server has taken it up within ${waitSeconds} s: none runs on this state, or its endpoint does not answer.\n` +
    `It is done as soon as one can, at the next start before it serves writes. Follow it: ${follow}`
  )
}
