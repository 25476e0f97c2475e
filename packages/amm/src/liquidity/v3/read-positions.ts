import { feesOwed, getFeeGrowthInside } from '@svc/lp-math'
import type { AmmDeployment, Chain } from '@svc/wallet/core'
import { encodePacked, keccak256, type Address } from 'viem'
import type { Pool, Position, Token, ReadPorts } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v3PoolAbi, v3PositionManagerAbi } from '../../abis/v3.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolOf, type PoolState, v3PoolQuery } from '../pools/pool-state.ts'
import { type PositionAt, positionOf, type PositionReading, readRanges } from '../positions/position-of.ts'
import { v3PoolAddress } from '../pools/pool-address.ts'

/**
 * v3 positions by token id at one block, the newest where none is named, `null` where there is none. Fees are what `collect` would pay, to the unit: what the
 * position manager owes the token, but no more than the pool owes the manager for that range, whose roundings differ.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`, `RPC_*`
 */
export async function readV3Positions(
  ports: ReadPorts,
  chain: Chain,
  ids: readonly bigint[],
  reading: PositionReading = {},
): Promise<readonly (Position | null)[]> {
  const deployment = requireDeployment(chain, 'v3')
  const found = await readRanges(ports, chain, {
    records: ids.map((id) => recordQuery(deployment, id)),
    rangeOf: (place) => rangeQuery(deployment, place),
    tokensOf: ({ token0, token1 }) => [token0, token1],
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
export function v3PositionAgain(chain: Chain, before: Position): Query<PositionAt> {
  const deployment = requireDeployment(chain, 'v3')
  const place = placeBefore(before)
  const { token0, token1 } = before.pool
  const both = joinQueries([recordQuery(deployment, BigInt(before.positionId)), rangeQuery(deployment, place)] as const)
  return mapQuery(both, ([record, state]) => (blockNumber) => {
    if (record === null || state === null || placeOf(record) !== placeOf(place)) return null
    return position(record, state, [token0, token1], blockNumber)
  })
}

type Deployment = NonNullable<AmmDeployment['v3']>

/** What the position manager keeps of a token. */
type Record = {
  readonly id: bigint
  readonly owner: Address
  readonly token0: Address
  readonly token1: Address
  readonly fee: number
  readonly tickLower: number
  readonly tickUpper: number
  readonly debt: Debt
}

/** Where a position stands, for as long as it does. */
type Place = Pick<Record, 'token0' | 'token1' | 'fee' | 'tickLower' | 'tickUpper'>

function placeOf({ token0, token1, fee, tickLower, tickUpper }: Place): string {
  return [token0, token1, fee, tickLower, tickUpper].join()
}

function placeBefore({ pool, tickLower, tickUpper }: Position): Place {
  return { token0: pool.token0.address, token1: pool.token1.address, fee: pool.fee, tickLower, tickUpper }
}

/** Liquidity, growth at the last settlement and what was owed then, by token. */
type Debt = {
  readonly liquidity: bigint
  readonly growthInsideLast: readonly [bigint, bigint]
  readonly owed: readonly [bigint, bigint]
}

function recordQuery({ positionManager }: Deployment, id: bigint): Query<Record | null> {
  const reads = [
    contractRead(positionManager, v3PositionManagerAbi, 'positions', [id]),
    contractRead(positionManager, v3PositionManagerAbi, 'ownerOf', [id]),
  ] as const
  return query(reads, ([stored, owner]) => {
    if (stored === null || owner === null) return null
    const [, , token0, token1, fee, tickLower, tickUpper, liquidity, growth0, growth1, owed0, owed1] = stored
    const debt = { liquidity, growthInsideLast: [growth0, growth1], owed: [owed0, owed1] } as const
    return { id, owner, token0, token1, fee, tickLower, tickUpper, debt }
  })
}

/** The pool, its growth inside the range, and what it owes the position manager for the range. */
type RangeState = {
  readonly pool: PoolState
  readonly growthInside: readonly [bigint, bigint]
  readonly poolDebt: Debt
}

function rangeQuery(deployment: Deployment, place: Place): Query<RangeState | null> {
  const { token0, token1, fee, tickLower, tickUpper } = place
  const pool = v3PoolAddress(deployment, token0, token1, fee)
  const identity = query([contractRead(pool, v3PoolAbi, 'tickSpacing', [])], ([tickSpacing]) =>
    tickSpacing === null ? null : { token0, token1, fee, tickSpacing },
  )
  const key = keccak256(encodePacked(['address', 'int24', 'int24'], [deployment.positionManager, tickLower, tickUpper]))
  const range = query(
    [
      contractRead(pool, v3PoolAbi, 'ticks', [tickLower]),
      contractRead(pool, v3PoolAbi, 'ticks', [tickUpper]),
      contractRead(pool, v3PoolAbi, 'positions', [key]),
    ],
    (results) => results,
  )
  return mapQuery(joinQueries([v3PoolQuery(pool, identity), range] as const), ([state, [lower, upper, kept]]) => {
    if (state === null || lower === null || upper === null || kept === null) return null
    const inside = getFeeGrowthInside({
      tickCurrent: state.tick,
      tickLower,
      tickUpper,
      feeGrowthGlobal0X128: state.feeGrowthGlobal0X128 ?? 0n,
      feeGrowthGlobal1X128: state.feeGrowthGlobal1X128 ?? 0n,
      lower: { feeGrowthOutside0X128: lower[2], feeGrowthOutside1X128: lower[3] },
      upper: { feeGrowthOutside0X128: upper[2], feeGrowthOutside1X128: upper[3] },
    })
    const [liquidity, growth0, growth1, owed0, owed1] = kept
    return {
      pool: state,
      growthInside: [inside.feeGrowthInside0X128, inside.feeGrowthInside1X128],
      poolDebt: { liquidity, growthInsideLast: [growth0, growth1], owed: [owed0, owed1] },
    }
  })
}

function position(record: Record, state: RangeState, tokens: readonly [Token, Token], blockNumber: bigint): Position {
  const pool: Pool = poolOf(state.pool, tokens, blockNumber)
  const { id, owner, tickLower, tickUpper, debt } = record
  const fees = ([0, 1] as const).map((side) => {
    // Collecting settles the pool's account only for a token that still has liquidity.
    const settles = debt.liquidity > 0n
    const owedToToken = owed(debt, state.growthInside, side, settles)
    const owedByPool = owed(state.poolDebt, state.growthInside, side, settles)
    return owedToToken < owedByPool ? owedToToken : owedByPool
  })
  const [fees0 = 0n, fees1 = 0n] = fees
  const { liquidity } = debt
  return positionOf(
    { version: 'v3', positionId: id.toString(), owner, tickLower, tickUpper, liquidity, fees0, fees1 },
    pool,
  )
}

function owed(debt: Debt, growthInside: readonly [bigint, bigint], side: 0 | 1, settles: boolean): bigint {
  const fresh = settles ? feesOwed(debt.liquidity, growthInside[side], debt.growthInsideLast[side]) : 0n
  return debt.owed[side] + fresh
}
