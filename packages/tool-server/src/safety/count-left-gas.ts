import type { Hash } from 'viem'
import type { Trip } from './engine.ts'
import { gasCosts } from './gas-worth.ts'
import { priceTokens } from './spend-value.ts'

/**
 * Counts the gas of mined transactions that no reservation settled: allowances taken back later, nonces used up, calls
 * cancelled, and what turned out to be mined after its request had ended. No limit refuses any of these, but all of them
 * count. Without a price of native currency they wait for one. Rejects when the chain cannot be read.
 */
export async function countLeftGas({ engine, chain, client }: Trip): Promise<void> {
  const left = await engine.ledger.uncountedGas(chain.id)
  if (left.length === 0) return
  const priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
  const receipts = await Promise.all(left.map(({ hash }) => client.getTransactionReceipt({ hash: hash as Hash })))
  const gas = gasCosts(receipts, priced)
  if (gas !== null) await engine.ledger.countGas(gas)
}
