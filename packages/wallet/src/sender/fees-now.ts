import { parseTransaction, type PublicClient } from 'viem'
import type { Chain } from '../chain.ts'
import type { JournalEntry } from '../journal.ts'
import { boundedTip, type Fees } from './raised-fees.ts'

/** What the chain asks of a transaction now, a made-up tip cut. Rejects when the endpoint does not answer. */
export async function feesNow(client: PublicClient, chain: Pick<Chain, 'ordinaryTipGwei'>): Promise<FeesNow> {
  const [block, namedTip] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.estimateMaxPriorityFeePerGas(),
  ])
  const base = block.baseFeePerGas ?? 0n
  const tip = boundedTip(namedTip, base, chain)
  return {
    least: { maxFeePerGas: base + tip, maxPriorityFeePerGas: tip },
    // Twice the base fee outlasts six full blocks of it rising (EIP-1559: at most an eighth a block).
    lasting: { maxFeePerGas: base * 2n + tip, maxPriorityFeePerGas: tip },
  }
}

/** What a transaction has to offer at the moment. */
export type FeesNow = {
  /** Below either of these a transaction may wait for ever. */
  readonly least: Fees
  /** What a new transaction should offer. */
  readonly lasting: Fees
}

/** The fees a signed transaction offers. */
export function feesOf({ rawTransaction }: Pick<JournalEntry, 'rawTransaction'>): Fees {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(rawTransaction)
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** Whether a transaction offers less than the chain asks. */
export function isBelow(entry: Pick<JournalEntry, 'rawTransaction'>, { least }: FeesNow): boolean {
  const { maxFeePerGas, maxPriorityFeePerGas } = feesOf(entry)
  return maxFeePerGas < least.maxFeePerGas || maxPriorityFeePerGas < least.maxPriorityFeePerGas
}
