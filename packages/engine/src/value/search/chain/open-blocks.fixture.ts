import type { Devnet } from '@svc/devnet'
import { type Call, connect, createBlockWriter } from '@svc/devnet/blocks'
import type { Replayable } from '../programs/replayable.fixture.ts'
import type { Held } from './open-agent.fixture.ts'

/**
 * Writes the blocks of the search on the local chain, each with its transactions in order and at its time. Nothing is mined by itself
 * until it is closed.
 */
export async function openBlocks(devnet: Devnet, options: BlocksOptions): Promise<ChainBlocks> {
  const { blockSeconds, pastBlocks, from } = options
  const client = connect(devnet.rpcUrl)
  const writer = await createBlockWriter(client, devnet.rpcUrl)
  await client.setAutomine(false)
  let next = from.block
  let last = from.atSeconds - blockSeconds
  /** Of a block of the search; later where blocks of the chain's own have come between. */
  const timeOf = (block: number) => Math.max(last + 1, from.atSeconds + (block - from.block) * blockSeconds)

  async function write(plan: BlockPlan): Promise<void> {
    const { before, held, after } = plan
    last = timeOf(next)
    next += 1
    if (held === null) return writer.writeBlock(before, last)
    const { tipWei, mostWei } = held.offer
    const ahead = before.map((call): Call => ({ ...call, offer: { tipWei: 2n * tipWei, mostWei: 2n * mostWei } }))
    const behind = after.map((call): Call => ({ ...call, offer: { tipWei: tipWei / 2n, mostWei: mostWei / 2n } }))
    await writer.writeBlock([...ahead, ...behind], last, held.send)
    const { transactions } = await client.getBlock({ includeTransactions: true })
    const own = new Set([...before, ...after].map(({ from: sender }) => sender.toLowerCase()))
    if (own.has(transactions[before.length]?.from ?? ''))
      throw new Error('The agent does not stand at its place in the block')
  }

  return {
    async passTo(block, readers) {
      const isRead = (one: number) => readers.some((reader) => one < reader && one >= reader - 1 - pastBlocks)
      while (next < block) {
        let count = 0
        while (next + count < block && isRead(next + count)) count += 1
        if (count === 0) next += 1
        else await write(emptyPlan())
        if (count < 2) continue
        await writer.writeEmpty(count - 1, blockSeconds)
        next += count - 1
        last += (count - 1) * blockSeconds
      }
    },
    write,
    async mineNow() {
      last += 1
      await writer.writeBlock([], last)
    },
    shiftSeconds: from.atSeconds - from.timestamp,
    async close() {
      await writer.verify()
      await client.setAutomine(true)
    },
  }
}

export type BlocksOptions = Pick<Replayable, 'blockSeconds' | 'pastBlocks'> & {
  /** The number and the time that the search has for the next block, and the time it is to have on the chain. */
  readonly from: { readonly block: number; readonly timestamp: number; readonly atSeconds: number }
}

export type ChainBlocks = {
  /**
   * Comes to a block of the search. Those before it are empty, and are mined where somebody who reads the chain can still ask for them.
   *
   * @param readers blocks at whose beginning somebody reads
   */
  passTo(this: void, block: number, readers: readonly number[]): Promise<void>
  write(this: void, plan: BlockPlan): Promise<void>
  /** Mines what waits in a block that the search does not have. */
  mineNow(this: void): Promise<void>
  /** How much later it is on the chain than in the search. */
  readonly shiftSeconds: number
  /** Throws where what others did failed. */
  close(this: void): Promise<void>
}

/** What a block holds: what others do, and between it what the agent signed. */
export type BlockPlan = { readonly before: Call[]; held: Held | null; readonly after: Call[] }

export function emptyPlan(): BlockPlan {
  return { before: [], held: null, after: [] }
}
