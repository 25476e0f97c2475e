import { chains } from '@svc/wallet/core'
import type { StoredTransaction } from '@svc/store'
import type { OpenOperations } from '../approvals/open-operations.ts'
import { askersOf } from './askers-of.ts'
import { describeTransaction, type TransactionDescription } from './describe-transaction.ts'

/** What a person is shown of stored transactions. `now` in Unix milliseconds. */
export async function describeTransactions(
  { transactions, dataDir }: Pick<OpenOperations, 'transactions' | 'dataDir'>,
  found: readonly StoredTransaction[],
  now: number,
): Promise<readonly TransactionDescription[]> {
  if (found.length === 0) return []
  const { readAuditLog } = await import('@svc/engine/switches')
  const askers = await askersOf(
    found.map(({ requestId }) => requestId),
    dataDir,
    readAuditLog,
  )
  const chainNames = await chainNamesOf(dataDir, process.env)
  return Promise.all(
    found.map(async (one) => {
      const attempts = await transactions.byNonce(one.chainId, one.from, one.nonce)
      return describeTransaction(one, attempts, { asker: askers.get(one.requestId), chainNames, now })
    }),
  )
}

/**
 * The names of the chains that the server of a data directory knows, by their ids; the built-in ones where its settings are
 * not all at hand, as beside a database on another machine.
 */
async function chainNamesOf(
  dataDir: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<number, string>> {
  const { readServerSettings } = await import('../server-settings.ts')
  const known = await readServerSettings(dataDir, environment).then(
    ({ config }) => config.chains,
    () => chains,
  )
  return new Map(known.map(({ id, name }) => [id, name]))
}
