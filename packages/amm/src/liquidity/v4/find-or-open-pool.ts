import type { Chain } from '@svc/wallet/core'
import { isAddressEqual, zeroAddress, type Address } from 'viem'
import type { Pool } from '../../ports.ts'
import { readQuery } from '../../rpc/read-query.ts'
import { customarySpacing } from '../planning/deposit/customary-spacing.ts'
import type { AmountFields } from '../planning/deposit/fit-amounts.ts'
import { openingPrice } from '../planning/deposit/opening-price.ts'
import type { OrderedPair } from '../planning/order-pair.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { poolToCome } from '../planning/deposit/pool-to-come.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { v4PoolQuery } from './pool-query.ts'
import { refuseDeltaHooks } from './refuse-delta-hooks.ts'
import { poolOf } from '../pools/pool-state.ts'
import { poolIdOf } from './pool-key.ts'

/**
 * The v4 pool of a pair, fee and hook as it stands, or, when it is missing, as a deposit of these amounts would create it.
 * An existing pool may have any static fee; a new one has a customary fee and its tick spacing.
 *
 * @throws ToolError `VALIDATION_FAILED` for a fee that names no pool, and when a missing pool cannot be priced;
 *   `HOOK_NOT_SUPPORTED`.
 */
export async function findOrOpenV4Pool(
  ports: PlanPorts,
  chain: Chain,
  pair: OrderedPair,
  request: V4PoolRequest,
): Promise<{ pool: Pool; createsPool: boolean }> {
  refuseDeltaHooks(request.hooks, 'hookAddress')
  const hooks = request.hooks ?? zeroAddress
  const pools = await ports.liquidity.findPools(chain, pair.token0, pair.token1, ['v4'])
  const listed = pools.find((pool) => pool.fee === request.fee && isAddressEqual(pool.hooks ?? zeroAddress, hooks))
  if (listed) return { pool: listed, createsPool: false }
  const { fee, tickSpacing } = customarySpacing(request.fee)
  const key = { currency0: pair.token0.address, currency1: pair.token1.address, fee, tickSpacing, hooks }
  const client = ports.rpc.client(chain)
  const blockNumber = await client.getBlockNumber()
  const unlisted = await readQuery(client, chain, v4PoolQuery(requireDeployment(chain, 'v4'), key), blockNumber)
  if (unlisted) return { pool: poolOf(unlisted, [pair.token0, pair.token1], blockNumber), createsPool: false }
  const sqrtPriceX96 = openingPrice(request, request.fields)
  const facts = { version: 'v4', id: poolIdOf(key), fee, tickSpacing, hooks: request.hooks } as const
  return { createsPool: true, pool: poolToCome(pair, { ...facts, sqrtPriceX96, blockNumber }) }
}

export type V4PoolRequest = {
  readonly fee: number | null
  readonly hooks: Address | null
  /** In the pool's order. */
  readonly amount0: bigint | null
  readonly amount1: bigint | null
  readonly fields: AmountFields
}
