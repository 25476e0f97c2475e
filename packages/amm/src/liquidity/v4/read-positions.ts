import { feesOwed, unpackPositionInfo } from '@svc/lp-math'
import type { AmmDeployment, Chain } from '@svc/wallet/core'
import { numberToHex, type Address } from 'viem'
import type { Position, Token } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v4PositionManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolOf, type PoolState } from '../pools/pool-state.ts'
import { type PositionAt, positionOf, type PositionReading, readRanges } from '../positions/position-of.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { poolIdOf, type PoolKey, poolKeyOf } from './pool-key.ts'
import { v4PoolQuery } from './pool-query.ts'

/**
 * v4 positions by token id at one block, the newest where none is named, `null` where there is none. Fees are what the pool owes the position, to the unit; a
 * hook with a delta of its own may pay out less.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`, `RPC_*`
 */
export async function readV4Positions(
  ports: ReadPorts,
  chain: Chain,
  ids: readonly bigint[],
  reading: PositionReading = {},
): Promise<readonly (Position | null)[]> {
  const deployment = requireDeployment(chain, 'v4')
  const found = await readRanges(ports, chain, {
    records: ids.map((id) => recordQuery(deployment, id)),
    rangeOf: (record) => rangeQuery(deployment, record),
    tokensOf: ({ key }) => [key.currency0, key.currency1],
    placeOf,
    likely: ids.map((id) => {
      const before = reading.before?.(id) ?? null
      return before && placeBefore(before)
    }),
    reading,
  })
  return found.map((one) => one && position(one.record, one.state, one.tokens, one.blockNumber))
}

/** The same of one that was read before, where it stood then, for an exchange with others; `null` where it is not there any more. */
export function v4PositionAgain(chain: Chain, before: Position): Query<PositionAt> {
  const deployment = requireDeployment(chain, 'v4')
  const place = placeBefore(before)
  const { token0, token1 } = before.pool
  const both = joinQueries([recordQuery(deployment, place.id), rangeQuery(deployment, place)] as const)
  return mapQuery(both, ([record, state]) => (blockNumber) => {
    if (record === null || state === null || placeOf(record) !== placeOf(place)) return null
    return position(record, state, [token0, token1], blockNumber)
  })
}

function position(
  { id, owner, tickLower, tickUpper }: Record,
  { pool, liquidity, fees0, fees1 }: RangeState,
  tokens: readonly [Token, Token],
  blockNumber: bigint,
): Position {
  return positionOf(
    { version: 'v4', positionId: id.toString(), owner, tickLower, tickUpper, liquidity, fees0, fees1 },
    poolOf(pool, tokens, blockNumber),
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

/** Where a position stands, for as long as it does. */
type Place = Omit<Record, 'owner'>

function placeOf({ key, tickLower, tickUpper }: Place): string {
  return [poolIdOf(key), tickLower, tickUpper].join()
}

function placeBefore({ positionId, pool, tickLower, tickUpper }: Position): Place {
  return { id: BigInt(positionId), key: poolKeyOf(pool), tickLower, tickUpper }
}

type RangeState = {
  readonly pool: PoolState
  readonly liquidity: bigint
  readonly fees0: bigint
  readonly fees1: bigint
}

function rangeQuery(deployment: Deployment, { id, key, tickLower, tickUpper }: Place): Query<RangeState | null> {
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
