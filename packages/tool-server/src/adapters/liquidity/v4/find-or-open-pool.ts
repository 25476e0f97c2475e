import { getTickAtSqrtPrice } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { isAddressEqual, zeroAddress, type Address, type Hex } from 'viem'
import type { Pool } from '../../../ports.ts'
import { v4StateViewAbi } from '../abis/v4-state-view.ts'
import { customarySpacing } from '../planning/customary-spacing.ts'
import type { AmountFields } from '../planning/fit-amounts.ts'
import { openingPrice } from '../planning/opening-price.ts'
import type { OrderedPair } from '../planning/order-pair.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { refuseDeltaHooks } from './refuse-delta-hooks.ts'
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
  const unlisted = await readUnlisted(ports, chain, poolIdOf(key))
  const createsPool = unlisted.sqrtPriceX96 === 0n
  const sqrtPriceX96 = createsPool ? openingPrice(request, request.fields) : unlisted.sqrtPriceX96
  return {
    createsPool,
    pool: {
      ...unlisted,
      version: 'v4',
      token0: pair.token0,
      token1: pair.token1,
      fee,
      tickSpacing,
      hooks: request.hooks,
      sqrtPriceX96,
      tick: getTickAtSqrtPrice(sqrtPriceX96),
      reserve0: null,
      reserve1: null,
      feeGrowthGlobal0X128: null,
      feeGrowthGlobal1X128: null,
    },
  }
}

export type V4PoolRequest = {
  readonly fee: number | null
  readonly hooks: Address | null
  /** In the pool's order. */
  readonly amount0: bigint | null
  readonly amount1: bigint | null
  readonly fields: AmountFields
}

/** The state of a pool whose key no list holds, such as one with a hook; a price of 0 where there is none. */
async function readUnlisted(
  ports: PlanPorts,
  chain: Chain,
  id: Hex,
): Promise<Pick<Pool, 'id' | 'sqrtPriceX96' | 'liquidity' | 'protocolFee' | 'blockNumber'>> {
  const client = ports.rpc.client(chain)
  const stateView = { address: requireDeployment(chain, 'v4').stateView, abi: v4StateViewAbi } as const
  const [[sqrtPriceX96, , protocolFee], liquidity, blockNumber] = await Promise.all([
    client.readContract({ ...stateView, functionName: 'getSlot0', args: [id] }),
    client.readContract({ ...stateView, functionName: 'getLiquidity', args: [id] }),
    client.getBlockNumber(),
  ])
  return { id, sqrtPriceX96, liquidity, protocolFee, blockNumber }
}
