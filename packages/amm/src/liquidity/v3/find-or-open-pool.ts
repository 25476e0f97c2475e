import type { Chain } from '@svc/wallet/core'
import type { Pool } from '../../ports.ts'
import { v3PositionManagerAbi } from '../../abis/v3-position-manager.ts'
import { customarySpacing } from '../planning/deposit/customary-spacing.ts'
import { contractRead } from '../../rpc/contract-read.ts'
import { readSurely } from '../../rpc/read-surely.ts'
import type { AmountFields } from '../planning/deposit/fit-amounts.ts'
import { openingPrice } from '../planning/deposit/opening-price.ts'
import type { OrderedPair } from '../planning/order-pair.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { poolToCome } from '../planning/deposit/pool-to-come.ts'
import { requireDeployment } from '../planning/require-deployment.ts'

/**
 * The v3 pool of a pair and fee as it stands, or, when it is missing, as a deposit of these amounts would create it. The
 * address of a pool to come is asked of the contract that would create it, because not every chain derives it alike.
 *
 * @throws ToolError `VALIDATION_FAILED` for a fee that is no tier, and when a missing pool cannot be priced.
 */
export async function findOrOpenV3Pool(
  ports: PlanPorts,
  chain: Chain,
  pair: OrderedPair,
  request: {
    readonly fee: number | null
    readonly amount0: bigint | null
    readonly amount1: bigint | null
    readonly fields: AmountFields
  },
): Promise<{ pool: Pool; createsPool: boolean }> {
  const { fee, tickSpacing } = customarySpacing(request.fee)
  const pools = await ports.liquidity.findPools(chain, pair.token0, pair.token1, ['v3'])
  const found = pools.find((pool) => pool.fee === fee && pool.sqrtPriceX96 > 0n)
  if (found) return { pool: found, createsPool: false }
  const sqrtPriceX96 = openingPrice(request, request.fields)
  const client = ports.rpc.client(chain)
  const { positionManager } = requireDeployment(chain, 'v3')
  const args = [pair.token0.address, pair.token1.address, fee, sqrtPriceX96] as const
  const [id, blockNumber] = await Promise.all([
    readSurely(client, contractRead(positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', args)),
    client.getBlockNumber(),
  ])
  const facts = { version: 'v3', id, fee, tickSpacing, hooks: null, sqrtPriceX96, blockNumber } as const
  return { createsPool: true, pool: poolToCome(pair, facts) }
}
