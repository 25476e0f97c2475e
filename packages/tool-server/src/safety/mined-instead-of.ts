import type { StoredTransaction } from '@svc/store'
import { isNoOp, type JournalEntry } from '@svc/wallet'
import type { Hash, PublicClient } from 'viem'
import type { Trip } from './engine.ts'

/**
 * The empty transfer that was mined in the place of a transaction because the operator cancelled it; `null` where the
 * operator did not, or where something else took its nonce.
 */
export async function minedInsteadOf(
  { engine, client }: Pick<Trip, 'engine' | 'client'>,
  { chainId, from, nonce, state }: JournalEntry,
): Promise<Hash | null> {
  if (state !== 'replaced') return null
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  return attempts.some(isCancelled) ? minedNoOp(client, attempts) : null
}

/** Whether the operator asked that a transaction be cancelled. */
export function isCancelled({ asked }: Pick<StoredTransaction, 'asked'>): boolean {
  return asked?.what === 'cancel'
}

/** One that is in the journal as mined; else, where fees were raised, the one that has a receipt. */
async function minedNoOp(client: PublicClient, attempts: readonly StoredTransaction[]): Promise<Hash | null> {
  const noOps = attempts.filter(isNoOp).toReversed()
  const known = noOps.find(({ state }) => state === 'final' || state === 'reverted')
  if (known !== undefined) return known.hash
  for (const { hash } of noOps) {
    const receipt = await client.getTransactionReceipt({ hash }).catch(() => null)
    if (receipt !== null) return hash
  }
  return noOps[0]?.hash ?? null
}
