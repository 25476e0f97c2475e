import type { Address, PublicClient, TransactionReceipt } from 'viem'
import { gasCostOf } from '../spending/gas-cap.ts'

/**
 * Net change in native currency, in wei, which leaves no logs: what the balance grew by in the blocks of some transactions of the wallet,
 * their gas added back. Of all of them in those blocks, or the gas of the others seems to have left. Throws `RPC_*`.
 */
export async function nativeChangeIn(
  client: PublicClient,
  wallet: Address,
  receipts: readonly TransactionReceipt[],
): Promise<bigint> {
  const blocks = [...new Set(receipts.map(({ blockNumber }) => blockNumber))]
  const balanceAt = (blockNumber: bigint) => client.getBalance({ address: wallet, blockNumber })
  const grown = await Promise.all(
    blocks.map(async (at) => {
      const [before, after] = await Promise.all([balanceAt(at - 1n), balanceAt(at)])
      return after - before
    }),
  )
  return grown.reduce((sum, wei) => sum + wei, gasCostOf(receipts))
}
