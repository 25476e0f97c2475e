import type { StoredTransaction } from '@svc/store'
import { isNoOp } from '@svc/wallet/core'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { openOperations } from '../approvals/open-operations.ts'
import { operatorName } from '../own-data-directory.ts'
import { parseWholeNumber } from '../parse-words-and-flags.ts'
import {
  outcomeWords,
  stateWords,
  findTransaction,
  followWith,
  readHashAndFlags,
  type Seen,
  untilTaken,
} from './describe-transactions.ts'
import { UsageError } from '../usage-error.ts'

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

/**
 * `svc transactions resolve HASH --taken-by HASH`: names the transaction that used the nonce of another up, for a server
 * whose endpoint keeps no state of blocks that old. Nothing is believed: the server reads the named one in its block. Exit
 * code 1 when that proves nothing.
 */
export async function resolve(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { hash, flags } = readHashAndFlags('resolve', argv, {
    values: ['data-dir', 'wait', 'taken-by'],
    switches: ['json'],
  })
  const takenBy = takerOf(flags['taken-by'], hash)
  const waitSeconds = parseWholeNumber('--wait', flags.wait, 0, 3_600) ?? 15
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const { state } = await findTransaction(open, hash)
    if (state !== 'signed' && state !== 'broadcast' && state !== 'refused') {
      throw new Error(`${hash} is ${stateWords[state]}; there is nothing to resolve.`)
    }
    await open.transactions.ask(hash, { what: takenBy, by: operatorName() })
    const { transaction } = await untilTaken(open.transactions, hash, { waitSeconds, stopped })
    const outcome = transaction.asked?.outcome ?? null
    const text =
      outcome === null
        ? `Asked. No server has proved it within ${waitSeconds} s; one that runs does as soon as it can. Follow it: ${followWith(hash, flags['data-dir'])}`
        : `${outcome === 'superseded' ? 'Resolved' : 'Not resolved'}: ${outcomeWords[outcome]}.`
    process.stdout.write(`${flags.json ? JSON.stringify({ hash, state: transaction.state, outcome }) : text}\n`)
    return outcome === null || outcome === 'superseded' ? 0 : 1
  } finally {
    await open.close()
  }
}

function takerOf(text: string | undefined, hash: string): `0x${string}` {
  if (text === undefined || !/^0x[0-9a-f]{64}$/.test(text) || text === hash) {
    throw new UsageError('--taken-by takes the hash of the transaction that used the nonce up: 0x and 64 hex digits')
  }
  return text as `0x${string}`
}
