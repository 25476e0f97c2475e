import { numberToHex } from 'viem'
import type { Chain } from '@svc/wallet/core'
import type { MarketPorts, ReadLimits } from '../ports.ts'
import { blockAt } from '../liquidity/swaps/block-at.ts'

/**
 * Whether an endpoint tells any log at all of the last blocks before a time (Unix seconds), so that one that tells none of a pool after
 * it means a quiet pool, not logs thrown away. False also where so few blocks had none. Throws ToolError `RPC_*`,
 * what `onRequest` throws, and once aborted.
 */
export async function hasLogsBefore(
  rpc: Pick<MarketPorts['rpc'], 'client' | 'head'>,
  chain: Chain,
  timestamp: number,
  { signal, onRequest }: ReadLimits,
): Promise<boolean> {
  const client = rpc.client(chain)
  const head = await rpc.head(chain)
  const readBlock = async (blockNumber: bigint) => {
    signal?.throwIfAborted()
    onRequest?.()
    const block = await client.getBlock({ blockNumber })
    return { number: block.number, timestamp: Number(block.timestamp) }
  }
  const newest = { number: head.number, timestamp: Number(head.timestamp) }
  const { number } = await blockAt(readBlock, newest, timestamp, chain.blockTimeSeconds)
  for (const blocks of [1n, 16n]) {
    signal?.throwIfAborted()
    onRequest?.()
    const [fromBlock, toBlock] = [number > blocks ? number - blocks : 0n, number > 0n ? number - 1n : 0n]
    const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
    const logs: unknown = await client.request({ method: 'eth_getLogs', params: [range] }, { signal })
    if (Array.isArray(logs) && logs.length > 0) return true
  }
  return false
}
