import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredTransaction, Transactions } from '@svc/store'
import { isNoOp } from '@svc/wallet/core'
import { findTransaction } from './read-hash-and-flags.ts'

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
