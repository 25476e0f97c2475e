import type { Hash, PublicClient, TransactionReceipt } from 'viem'

/**
 * The receipt of a transaction, asked for until it is there. viem's own wait looks again only when a block comes; a chain that mines
 * at once has no later block, so it would wait for ever where the hash comes before the receipt.
 */
export async function awaitReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hash,
): Promise<TransactionReceipt> {
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TransactionReceiptNotFoundError')) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
