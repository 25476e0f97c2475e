import { feesOwed, unpackPositionInfo } from '@svc/lp-math'
import type { AmmDeployment, Chain } from '@svc/wallet/core'
import { numberToHex, type Address, getAbiItem, isAddressEqual } from 'viem'
import type { Position, Token, ReadPorts } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v4PositionManagerAbi, v4StateViewAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolOf, type PoolState, v4PoolQuery } from '../pools/pool-state.ts'
import { type PositionAt, positionOf, type PositionReading, readRanges } from '../positions/position-of.ts'
import { poolIdOf, type PoolKey, poolKeyOf } from './pool-key.ts'
import { everyResult } from '../../rpc/read-all.ts'
import { learntOf, scanRareLogs } from '../logs/scan-logs.ts'

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

/** How many v4 position tokens an owner holds, which of those that it held before it holds still, and which id comes next. */
export function ownedV4Query(chain: Chain, owner: Address, before: readonly bigint[]): Query<OwnedV4> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const counts = query(
    [
      contractRead(positionManager, v4PositionManagerAbi, 'balanceOf', [owner]),
      contractRead(positionManager, v4PositionManagerAbi, 'nextTokenId', []),
    ],
    everyResult,
  )
  const owners = query(
    before.map((id) => contractRead(positionManager, v4PositionManagerAbi, 'ownerOf', [id])),
    (found) => found,
  )
  return mapQuery(joinQueries([counts, owners] as const), ([[balance = 0n, nextTokenId = 0n], found]) => {
    const held = before.filter((_, index) => {
      const holder = found[index] ?? null
      return holder !== null && isAddressEqual(holder, owner)
    })
    return { balance, nextTokenId, held }
  })
}

export type OwnedV4 = { readonly balance: bigint; readonly nextTokenId: bigint; readonly held: readonly bigint[] }

/**
 * The v4 position tokens that may be an owner's, newest first. The position manager does not enumerate them but counts them: where it
 * holds as many of those that it held before, these are all; where few tokens exist each may be one, else those that the logs of transfers tell,
 * which are read until as many are found.
 *
 * @throws ToolError `RPC_*`
 */
export async function v4Candidates(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  facts: OwnedV4 & { readonly blockNumber: bigint },
): Promise<readonly bigint[]> {
  const { balance, nextTokenId, held } = facts
  if (balance === 0n) return []
  const candidates =
    BigInt(held.length) === balance
      ? held
      : nextTokenId <= fewTokens
        ? Array.from({ length: Number(nextTokenId) }, (_, id) => BigInt(id))
        : await receivedTokenIds(ports, chain, owner, facts)
  return candidates.toSorted((a, b) => (a > b ? -1 : 1))
}

/** So few that asking each for its owner is cheaper than any search of logs. */
const fewTokens = 1_500n

async function receivedTokenIds(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  facts: { readonly blockNumber: bigint; readonly balance: bigint },
): Promise<bigint[]> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const client = ports.rpc.client(chain)
  const event = getAbiItem({ abi: v4PositionManagerAbi, name: 'Transfer' })
  const read = async (fromBlock: bigint, toBlock: bigint) => {
    const range = { address: positionManager, event, fromBlock, toBlock, strict: true } as const
    const [received, sent] = await Promise.all([
      client.getLogs({ ...range, args: { to: owner } }),
      client.getLogs({ ...range, args: { from: owner } }),
    ])
    return [...received, ...sent]
  }
  const { logs } = await scanRareLogs({
    read,
    newest: facts.blockNumber,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    learnt: learntOf(ports.rpc, chain, 'tokens of an owner of v4'),
    isEnough: (logs) => stillHeld(logs, owner) >= Number(facts.balance),
  })
  return [...new Set(logs.map(({ args }) => args.id))]
}

/** How many of the tokens received in a stretch up to now were not sent on in it. */
function stillHeld(logs: readonly { args: { from: Address; to: Address; id: bigint } }[], owner: Address): number {
  const sent = new Set(logs.filter(({ args }) => isAddressEqual(args.from, owner)).map(({ args }) => args.id))
  const received = new Set(logs.filter(({ args }) => isAddressEqual(args.to, owner)).map(({ args }) => args.id))
  return [...received].filter((id) => !sent.has(id)).length
}
