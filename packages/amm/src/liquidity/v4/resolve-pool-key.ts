import type { Chain } from '@svc/wallet/core'
import { getAbiItem, zeroAddress, type Hex } from 'viem'
import { v4PoolManagerAbi } from '../../abis/v4-pool-manager.ts'
import { scanRareLogs } from '../logs/scan-rare-logs.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { sortPair } from '../pools/sort-pair.ts'
import type { ReadPorts } from '../read-ports.ts'
import { poolIdOf, type PoolKey } from './pool-key.ts'
import { standardKeys } from './standard-keys.ts'

/**
 * The key behind a PoolId that no position manager knows: a standard key over listed tokens, else the one in the log of the
 * pool's creation. `null` when the logs that the endpoint gives do not reach back that far.
 *
 * @throws ToolError `RPC_*`
 */
export async function resolvePoolKey(
  ports: ReadPorts,
  chain: Chain,
  id: Hex,
  blockNumber: bigint,
): Promise<PoolKey | null> {
  return listedKey(chain, id) ?? (await createdKey(ports, chain, id, blockNumber))
}

function listedKey(chain: Chain, id: Hex): PoolKey | null {
  const currencies = [{ address: zeroAddress }, ...chain.tokens]
  for (const [index, a] of currencies.entries()) {
    for (const b of currencies.slice(index + 1)) {
      const [{ address: currency0 }, { address: currency1 }] = sortPair(a, b)
      const match = standardKeys(currency0, currency1).find((key) => poolIdOf(key) === id)
      if (match !== undefined) return match
    }
  }
  return null
}

async function createdKey(ports: ReadPorts, chain: Chain, id: Hex, blockNumber: bigint): Promise<PoolKey | null> {
  const client = ports.rpc.client(chain)
  const { poolManager } = requireDeployment(chain, 'v4')
  const event = getAbiItem({ abi: v4PoolManagerAbi, name: 'Initialize' })
  const { logs } = await scanRareLogs({
    read: (fromBlock, toBlock) =>
      client.getLogs({ address: poolManager, event, args: { id }, fromBlock, toBlock, strict: true }),
    newest: blockNumber,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    isEnough: (logs) => logs.length > 0,
  })
  const args = logs[0]?.args
  if (args === undefined) return null
  const { currency0, currency1, fee, tickSpacing, hooks } = args
  const key = { currency0, currency1, fee, tickSpacing, hooks }
  return poolIdOf(key) === id ? key : null
}
