import type { Chain } from '@svc/wallet/core'
import { isAddressEqual, parseEventLogs, zeroAddress, type Address } from 'viem'
import type { Settled } from '../../intent.ts'
import type { Pool } from '../../ports.ts'
import { v4PoolManagerAbi } from '../../abis/v4-pool-manager.ts'
import { v4PositionManagerAbi } from '../../abis/v4-position-manager.ts'
import { logsOf } from '../planning/logs-of.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { requireEvent } from '../planning/require-event.ts'

/**
 * The id of the v4 position that a mined deposit opened: one whose token was minted to the owner, and into which exactly
 * the planned liquidity went in the planned range of the pool. A hook may mint or touch other positions in the same call.
 *
 * @throws ToolError `INTERNAL` when the receipt holds no such logs.
 */
export function mintedTokenId(settled: Settled, chain: Chain, minted: Minted): bigint {
  const { poolManager, positionManager } = requireDeployment(chain, 'v4')
  const transfers = parseEventLogs({
    abi: v4PositionManagerAbi,
    eventName: 'Transfer',
    logs: logsOf(settled, positionManager),
  }).filter(({ args }) => args.from === zeroAddress && isAddressEqual(args.to, minted.owner))
  const changes = parseEventLogs({
    abi: v4PoolManagerAbi,
    eventName: 'ModifyLiquidity',
    logs: logsOf(settled, poolManager),
  }).filter(({ args }) => isAddressEqual(args.sender, positionManager) && isPlanned(args, minted))
  const changed = new Set(changes.map(({ args }) => BigInt(args.salt)))
  return requireEvent(
    transfers.map(({ args }) => args.id).filter((id) => changed.has(id)),
    'Transfer of a new position',
  )
}

export type Minted = {
  readonly pool: Pick<Pool, 'id'>
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  readonly owner: Address
}

function isPlanned(
  change: { id: string; tickLower: number; tickUpper: number; liquidityDelta: bigint },
  { pool, tickLower, tickUpper, liquidity }: Minted,
): boolean {
  return (
    change.id === pool.id &&
    change.tickLower === tickLower &&
    change.tickUpper === tickUpper &&
    change.liquidityDelta === liquidity
  )
}
