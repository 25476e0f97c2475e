import type { Address, Hash } from 'viem'
import { createPublicClient, http } from 'viem'
import type { Transcript } from './transcript.ts'
import { number } from './wording.ts'

/**
 * Asks the chain itself for every transaction of the story, and shows each in full. Throws when one is missing, failed
 * or is not the wallet's, or when the wallet sent any that the story does not tell of.
 */
export async function proveTransactions(
  transactions: ReadonlyMap<Hash, string>,
  options: { readonly rpcUrl: string; readonly wallet: Address; readonly transcript: Transcript },
): Promise<void> {
  const { rpcUrl, wallet, transcript } = options
  const client = createPublicClient({ transport: http(rpcUrl, { batch: true }) })
  transcript.line('block  gas used  transaction, sent by')
  for (const [hash, tool] of transactions) {
    const receipt = await client.getTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error(`Transaction ${hash} failed`)
    if (receipt.from.toLowerCase() !== wallet.toLowerCase()) throw new Error(`Transaction ${hash} is not the wallet's`)
    const numbers = `${String(receipt.blockNumber).padStart(5)}  ${number(Number(receipt.gasUsed)).padStart(8)}`
    transcript.line(`${numbers}  ${hash} ${tool}`)
  }
  const sent = await client.getTransactionCount({ address: wallet })
  if (sent !== transactions.size)
    throw new Error(`The wallet sent ${sent} transactions, the story has ${transactions.size}`)
}
