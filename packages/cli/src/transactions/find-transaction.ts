import type { StoredTransaction } from '@svc/store'
import type { OpenOperations } from '../approvals/open-operations.ts'

/** The transaction of this hash. Throws when the journal holds none. */
export async function findTransaction(
  { transactions }: Pick<OpenOperations, 'transactions'>,
  hash: `0x${string}`,
): Promise<StoredTransaction> {
  const found = await transactions.byHash(hash)
  if (found !== null) return found
  throw new Error(`The journal holds no transaction ${hash}. svc transactions list shows what is open.`)
}
