import type { StoredTransaction, Transactions } from '@svc/store'
import { isNoOp, type JournalEntry } from '@svc/wallet/core'
import type { Hash, PublicClient } from 'viem'
import type { ExecutionContext } from '../context/engine.ts'

/**
 * That a transaction was cancelled by the operator, with the empty transfer that was mined in its place, where one is seen
 * to be; `null` where the operator did not, or where something else took its nonce.
 */
export async function minedInsteadOf(
  { engine, client }: World,
  { chainId, from, nonce, state }: JournalEntry,
): Promise<{ readonly noOp: Hash | null } | null> {
  if (state !== 'replaced') return null
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  const noOps = attempts.filter(isNoOp).toReversed()
  if (noOps.length === 0 || !attempts.some(isCancelled)) return null
  return { noOp: await minedOf(client, noOps) }
}

type World = Pick<ExecutionContext, 'client'> & {
  readonly engine: { readonly transactions: Pick<Transactions, 'byNonce'> }
}

/** Whether the operator asked that a transaction be cancelled. */
export function isCancelled({ asked }: Pick<StoredTransaction, 'asked'>): boolean {
  return asked?.what === 'cancel'
}

/** One that is in the journal as mined; else, where fees were raised, the one that has a receipt. */
async function minedOf(client: PublicClient, noOps: readonly StoredTransaction[]): Promise<Hash | null> {
  const known = noOps.find(({ state }) => state === 'final' || state === 'reverted')
  if (known !== undefined) return known.hash
  for (const { hash } of noOps) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    if (receipt !== null) return hash
  }
  return null
}
