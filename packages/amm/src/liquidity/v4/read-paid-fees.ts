import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Hex } from 'viem'
import type { Pool } from '../../ports.ts'
import { v4StateViewAbi } from '../../abis/v4-state-view.ts'
import { contractRead } from '../../rpc/contract-read.ts'
import { readSurely } from '../../rpc/read-surely.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { requireDeployment } from '../planning/require-deployment.ts'

/**
 * The fees that a change of a v4 position in a block paid out: the growth inside its range that the pool had accounted
 * for after the block but not before it, times the liquidity it then had. Trades of others in the same block do not
 * matter, because the growth is noted at the change itself. Source: `Position.update` of v4-core.
 */
export async function readPaidFees(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  change: {
    readonly pool: Pool
    readonly tickLower: number
    readonly tickUpper: number
    readonly salt: Hex
    readonly blockNumber: bigint
  },
): Promise<Amounts> {
  const { positionManager, stateView } = requireDeployment(chain, 'v4')
  const client = ports.rpc.client(chain)
  const position = [change.pool.id, positionManager, change.tickLower, change.tickUpper, change.salt] as const
  const positionAt = (blockNumber: bigint) =>
    readSurely(client, contractRead(stateView, v4StateViewAbi, 'getPositionInfo', position), blockNumber)
  const [[liquidity, before0, before1], [, after0, after1]] = await Promise.all([
    positionAt(change.blockNumber - 1n),
    positionAt(change.blockNumber),
  ])
  return { amount0: earned(after0 - before0, liquidity), amount1: earned(after1 - before1, liquidity) }
}

/** Fee growth is counted modulo 2^256 per unit of liquidity, times 2^128. */
function earned(growthX128: bigint, liquidity: bigint): bigint {
  return (BigInt.asUintN(256, growthX128) * liquidity) >> 128n
}
