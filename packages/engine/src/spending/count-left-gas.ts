import type { Hash, TransactionReceipt } from 'viem'
import { asSigned } from '../recovery/as-signed.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { gasCosts } from './gas-worth.ts'
import { priceTokens } from './spend-value.ts'
import { onStorage } from '../audit/storage.ts'

/**
 * Counts the gas of mined transactions that no reservation settled: allowances taken back later, nonces used up, calls
 * cancelled, and what turned out to be mined after its request had ended. No limit refuses any of these, but all of them
 * count. Without a price of native currency they wait for one, and a receipt that nobody has now waits by itself: neither
 * keeps a write from going. Throws `STORAGE_UNAVAILABLE`.
 */
export async function countLeftGas({ engine, chain, client }: ExecutionContext): Promise<void> {
  const { ledger } = engine
  const left = await onStorage('the ledger cannot be read', () => ledger.uncountedGas(chain.id))
  if (left.length === 0) return
  const priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
  const read = async (hash: Hash): Promise<TransactionReceipt | null> => {
    const entry = await onStorage('the journal cannot be read', () => engine.journal.byHash(hash))
    try {
      const receipt = await client.getTransactionReceipt({ hash })
      return entry === null ? receipt : asSigned(receipt, entry.rawTransaction, chain)
    } catch (error) {
      engine.log.warn('gas.uncounted', { chainId: chain.id, hash, error })
      return null
    }
  }
  const receipts = await Promise.all(left.map(({ hash }) => read(hash as Hash)))
  const gas = gasCosts(
    receipts.filter((receipt) => receipt !== null),
    priced,
  )
  if (gas !== null && gas.length > 0) await onStorage('the gas cannot be counted', () => ledger.countGas(gas))
}
