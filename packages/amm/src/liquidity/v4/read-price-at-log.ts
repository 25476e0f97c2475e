import type { Chain } from '@svc/wallet/core'
import { getAbiItem } from 'viem'
import type { Pool } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { v4PoolManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readSurely } from '../../rpc/query.ts'
import type { PlanPorts } from '../liquidity-ports.ts'
import { requireDeployment } from '../planning/refusals.ts'

/**
 * The sqrt price (Q64.96) of a v4 pool at the moment a log was written: that of the last swap, or of its creation, before
 * the log in the same block, else that at the end of the block before.
 *
 * @throws ToolError `INTERNAL` when the pool did not exist then.
 */
export async function readPriceAtLog(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  moment: { readonly pool: Pool; readonly blockNumber: bigint; readonly logIndex: number },
): Promise<bigint> {
  const { poolManager, stateView } = requireDeployment(chain, 'v4')
  const { pool, blockNumber } = moment
  const client = ports.rpc.client(chain)
  const inBlock = { address: poolManager, args: { id: pool.id }, fromBlock: blockNumber, toBlock: blockNumber } as const
  const [swaps, creations, [priceBefore]] = await Promise.all([
    client.getLogs({ ...inBlock, event: getAbiItem({ abi: v4PoolManagerAbi, name: 'Swap' }), strict: true }),
    client.getLogs({ ...inBlock, event: getAbiItem({ abi: v4PoolManagerAbi, name: 'Initialize' }), strict: true }),
    readSurely(client, contractRead(stateView, v4StateViewAbi, 'getSlot0', [pool.id]), blockNumber - 1n),
  ])
  const last = [...creations, ...swaps].findLast((log) => log.logIndex < moment.logIndex)
  const sqrtPriceX96 = last ? last.args.sqrtPriceX96 : priceBefore
  if (sqrtPriceX96 > 0n) return sqrtPriceX96
  throw new ToolError('INTERNAL', `Pool ${pool.id} had no price in block ${blockNumber}.`)
}
