import type { Hash, PublicClient } from 'viem'
import type { JournalEntry } from '../journal.ts'

/**
 * The hash of the transaction that used up the nonce of an entry, read from the block that holds it, `confirmations`
 * deep. This is the only proof that other bytes are never mined: a count and a missing receipt may be given by different
 * endpoints, or by one that counts a block before it shows its receipts. `null` while there is no such block, where it
 * holds no transaction of that nonce, and where the endpoint keeps no state of blocks that old. Rejects when the endpoint
 * does not answer at all. At most 67 requests, and about two for each doubling of the block's age.
 */
export async function whoTook(
  client: PublicClient,
  { chainId, from, nonce }: Pick<JournalEntry, 'chainId' | 'from' | 'nonce'>,
  confirmations: number,
): Promise<Hash | null> {
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const settled = head - BigInt(Math.max(confirmations, 1) - 1)
  if (settled < 0n) return null
  const isUsedAt = async (blockNumber: bigint): Promise<boolean> =>
    (await client.getTransactionCount({ address: from, blockNumber })) > nonce
  if (!(await isUsedAt(settled))) return null
  const block = await firstBlock(settled, isUsedAt)
  if (block === null) return null
  const { transactions } = await client.getBlock({ blockNumber: block, includeTransactions: true })
  const taker = transactions.find((one) => one.nonce === nonce && one.from.toLowerCase() === from.toLowerCase())
  // An endpoint that serves another chain for a while proves nothing; a legacy transaction may name none.
  return taker === undefined || (taker.chainId ?? chainId) !== chainId ? null : taker.hash
}

/** Enough for every doubling of an age in blocks, down and up again. */
const mostSteps = 64

/**
 * The first block at which the nonce is used, given one at which it is: back in doubling strides, then halving between.
 * A block whose state is not kept counts as one before it: then what is found may be another block, whose content says so.
 */
async function firstBlock(used: bigint, isUsedAt: (blockNumber: bigint) => Promise<boolean>): Promise<bigint | null> {
  const isKnownAt = (blockNumber: bigint): Promise<boolean> => isUsedAt(blockNumber).catch(() => false)
  let [first, before, steps] = [used, -1n, 0]
  for (let stride = 1n; first > 0n && steps < mostSteps; stride *= 2n, steps += 1) {
    const earlier = used > stride ? used - stride : 0n
    if (!(await isKnownAt(earlier))) {
      before = earlier
      break
    }
    first = earlier
  }
  while (first - before > 1n && steps < mostSteps) {
    const middle = (first + before) / 2n
    if (await isKnownAt(middle)) first = middle
    else before = middle
    steps += 1
  }
  return first - before === 1n ? first : null
}
