import type { Allowance } from './approval-steps.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { onStorage } from '../audit/storage.ts'
import { readAllowances } from './chain-snapshot.ts'

/**
 * Reads what stands of the wallet's allowances at the newest block of an endpoint, in the order asked, and how many of the
 * wallet's transactions that block holds: one that lags shows zero where an approval of ours stands. Throws `RPC_*` and
 * `STORAGE_UNAVAILABLE`.
 */
export async function currentAllowances(
  {
    engine,
    chain,
    client,
    wallet,
  }: Pick<ExecutionContext, 'chain' | 'client' | 'wallet'> & { readonly engine: WithJournal },
  allowances: readonly Pick<Allowance, 'token' | 'spender'>[],
): Promise<Standing> {
  const next = await onStorage('the journal cannot be read', () => engine.journal.nextNonce(chain.id, wallet))
  const blockNumber = await client.getBlockNumber({ cacheTime: 0 })
  const [amounts, count] = await Promise.all([
    readAllowances(client, wallet, allowances, blockNumber),
    client.getTransactionCount({ address: wallet, blockNumber }),
  ])
  return { amounts, holdsAll: count >= (next ?? 0) }
}

export type Standing = {
  readonly amounts: readonly bigint[]
  /** Whether every nonce the journal has signed at is used in the block they were read at: a zero is believed only then. */
  readonly holdsAll: boolean
}

type WithJournal = { readonly journal: Pick<ExecutionContext['engine']['journal'], 'nextNonce'> }
