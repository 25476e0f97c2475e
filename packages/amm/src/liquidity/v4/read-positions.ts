import { feesOwed, unpackPositionInfo } from '@svc/lp-math'
import type { AmmDeployment, Chain } from '@svc/wallet/core'
import { numberToHex, type Address } from 'viem'
import type { Position } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { joinQueries, knownQuery, mapQuery, query, type Query, readQuery } from '../../rpc/query.ts'
import { v4PositionManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolOf, type PoolState } from '../pools/pool-state.ts'
import { positionOf } from '../positions/position-of.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { poolIdOf, type PoolKey } from './pool-key.ts'
import { v4PoolQuery } from './pool-query.ts'

/**
 * v4 positions by token id at one block, `null` where there is none. Fees are what the pool owes the position, to the unit; a
 * hook with a delta of its own may pay out less.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`, `RPC_*`
 */
export async function readV4Positions(
  ports: ReadPorts,
  chain: Chain,
  ids: readonly bigint[],
  blockNumber: bigint,
): Promise<readonly (Position | null)[]> {
  const deployment = requireDeployment(chain, 'v4')
  const run = <Result>(query: Query<Result>) => readQuery(ports.rpc.client(chain), chain, query, blockNumber)
  const records = await run(joinQueries(ids.map((id) => recordQuery(deployment, id))))
  const states = await run(
    joinQueries(records.map((record) => (record === null ? knownQuery(null) : rangeQuery(deployment, record)))),
  )
  return Promise.all(
    records.map(async (record, index) => {
      const state = states[index] ?? null
      if (record === null || state === null) return null
      const tokens = await Promise.all([
        ports.tokens.byAddress(chain, record.key.currency0),
        ports.tokens.byAddress(chain, record.key.currency1),
      ])
      const { id, owner, tickLower, tickUpper } = record
      const { liquidity, fees0, fees1 } = state
      return positionOf(
        { version: 'v4', positionId: id.toString(), owner, tickLower, tickUpper, liquidity, fees0, fees1 },
        poolOf(state.pool, tokens, blockNumber),
      )
    }),
  )
}

type Deployment = NonNullable<AmmDeployment['v4']>

type Record = {
  readonly id: bigint
  readonly owner: Address
  readonly key: PoolKey
  readonly tickLower: number
  readonly tickUpper: number
}

function recordQuery({ positionManager }: Deployment, id: bigint): Query<Record | null> {
  const reads = [
    contractRead(positionManager, v4PositionManagerAbi, 'getPoolAndPositionInfo', [id]),
    contractRead(positionManager, v4PositionManagerAbi, 'ownerOf', [id]),
  ] as const
  return query(reads, ([stored, owner]) => {
    if (stored === null || owner === null) return null
    const { tickLower, tickUpper } = unpackPositionInfo(stored[1])
    return { id, owner, key: stored[0], tickLower, tickUpper }
  })
}

type RangeState = {
  readonly pool: PoolState
  readonly liquidity: bigint
  readonly fees0: bigint
  readonly fees1: bigint
}

function rangeQuery(deployment: Deployment, { id, key, tickLower, tickUpper }: Record): Query<RangeState | null> {
  const { stateView, positionManager } = deployment
  const poolId = poolIdOf(key)
  const range = query(
    [
      contractRead(stateView, v4StateViewAbi, 'getFeeGrowthInside', [poolId, tickLower, tickUpper]),
      contractRead(stateView, v4StateViewAbi, 'getPositionInfo', [
        poolId,
        positionManager,
        tickLower,
        tickUpper,
        numberToHex(id, { size: 32 }),
      ]),
    ],
    (results) => results,
  )
  return mapQuery(joinQueries([v4PoolQuery(deployment, key), range] as const), ([pool, [growth, kept]]) => {
    if (pool === null || growth === null || kept === null) return null
    const [liquidity, last0, last1] = kept
    return {
      pool,
      liquidity,
      fees0: feesOwed(liquidity, growth[0], last0),
      fees1: feesOwed(liquidity, growth[1], last1),
    }
  })
}
