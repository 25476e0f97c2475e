import type { Chain } from '@svc/wallet/core'
import { BaseError, getAbiItem, type Address } from 'viem'
import { ToolError } from '../../tool-error.ts'
import { v3PoolAbi } from '../../abis/v3-pool.ts'
import type { ReadPorts } from '../read-ports.ts'

/**
 * The sqrt price (Q64.96) of a v3 pool at the moment a log was written: that of the last swap, or of its creation, before the log in
 * the same block, else that at the end of the block before; `null` where no endpoint knows it any more.
 */
export async function readV3PriceAtLog(
  ports: Pick<ReadPorts, 'rpc'>,
  chain: Chain,
  moment: { readonly pool: Address; readonly blockNumber: bigint; readonly logIndex: number },
): Promise<bigint | null> {
  const { pool: address, blockNumber } = moment
  const client = ports.rpc.client(chain)
  const inBlock = { address, fromBlock: blockNumber, toBlock: blockNumber, strict: true } as const
  try {
    const [swaps, creations] = await Promise.all([
      client.getLogs({ ...inBlock, event: getAbiItem({ abi: v3PoolAbi, name: 'Swap' }) }),
      client.getLogs({ ...inBlock, event: getAbiItem({ abi: v3PoolAbi, name: 'Initialize' }) }),
    ])
    const last = [...creations, ...swaps].findLast(({ logIndex }) => logIndex < moment.logIndex)
    if (last !== undefined) return last.args.sqrtPriceX96
    const before = { address, abi: v3PoolAbi, functionName: 'slot0', blockNumber: blockNumber - 1n } as const
    const [sqrtPriceX96] = await client.readContract(before)
    return sqrtPriceX96
  } catch (error) {
    if (error instanceof ToolError || error instanceof BaseError) return null
    throw error
  }
}
