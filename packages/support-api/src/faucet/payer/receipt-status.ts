import type { JournalEntry } from '@svc/wallet/core'
import { TransactionReceiptNotFoundError, type PublicClient } from 'viem'

/** How a transaction ended on the chain; `null` while it holds none. Rejects when the endpoint does not answer. */
export async function receiptStatus(
  client: PublicClient,
  { hash }: Pick<JournalEntry, 'hash'>,
): Promise<'success' | 'reverted' | null> {
  try {
    return (await client.getTransactionReceipt({ hash })).status
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}
