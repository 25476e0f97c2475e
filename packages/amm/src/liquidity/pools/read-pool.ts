import type { Chain } from '@svc/wallet/core'
import { type Address, getAbiItem, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { learntOf, scanRareLogs } from '../logs/scan-logs.ts'
import { requireDeployment } from '../planning/refusals.ts'
import {
  poolOf,
  type PoolState,
  sortPair,
  v2IdentityQuery,
  v2PairQuery,
  v3IdentityQuery,
  v3PoolQuery,
  v4KeyQuery,
  v4PoolState,
  v4StateQuery,
  v4PoolQuery,
} from './pool-state.ts'
import type { ReadPorts, BlockTime, Pool, PoolReference, Version, Token } from '../../ports.ts'
import { poolIdOf, type PoolKey, standardKeys } from '../v4/pool-key.ts'
import { ToolError } from '../../tool-error.ts'
import { readAtHead, joinQueries, mapQuery, type Query, readQuery, knownQuery } from '../../rpc/query.ts'
import { v2PairAddress, v3PoolAddress } from './pool-address.ts'
import { tickSpacingForFee } from '@svc/lp-math'
import { inTurns } from '@svc/runtime'

/**
 * A pool by its reference, at the newest block or at the one given. A contract that merely says it is a pool is none: its
 * address must be the one at which the factory creates the pool of those tokens.
 *
 * @throws ToolError `POOL_NOT_FOUND`, `VERSION_NOT_DEPLOYED`, `RPC_*`
 */
export async function readPool(
  ports: ReadPorts,
  chain: Chain,
  reference: PoolReference,
  blockNumber?: bigint,
): Promise<Pool> {
  if (blockNumber === undefined) return (await readPoolAtHead(ports, chain, reference)).pool
  const query = poolQuery(chain, reference)
  const found = await readQuery(ports.rpc.client(chain), chain, query, blockNumber)
  return poolFrom(ports, chain, reference, found, blockNumber)
}

/**
 * A pool as it is at the newest block, and which block that is.
 *
 * @throws as `readPool` does.
 */
export async function readPoolAtHead(
  ports: ReadPorts,
  chain: Chain,
  reference: PoolReference,
): Promise<{ readonly pool: Pool; readonly head: BlockTime }> {
  const { head, result } = await readAtHead(ports.rpc, chain, poolQuery(chain, reference))
  return { pool: await poolFrom(ports, chain, reference, result, head.number), head }
}

/** What is found under a reference: the whole state of a pool, or that of a v4 pool whose key has to be found elsewhere. */
type FoundPool = PoolState | ((key: PoolKey) => PoolState) | null

function poolQuery(chain: Chain, { version, id }: PoolReference): Query<FoundPool> {
  requireDeployment(chain, version)
  if (id.length !== (version === 'v4' ? 66 : 42)) throw notFound(chain, version)
  return { v2: pairQuery, v3: v3Query, v4: v4Query }[version](chain, id)
}

async function poolFrom(
  ports: ReadPorts,
  chain: Chain,
  { version, id }: PoolReference,
  found: FoundPool,
  at: bigint,
): Promise<Pool> {
  const key = typeof found === 'function' ? await resolvePoolKey(ports, chain, id, at) : null
  const state = typeof found === 'function' ? key && found(key) : found
  if (state === null) throw notFound(chain, version)
  const tokens = await Promise.all([
    ports.tokens.byAddress(chain, state.token0),
    ports.tokens.byAddress(chain, state.token1),
  ])
  return poolOf(state, tokens, at)
}

function pairQuery(chain: Chain, pair: Address): Query<PoolState | null> {
  return mapQuery(v2PairQuery(pair, v2IdentityQuery(pair)), (state) => {
    if (state === null) return null
    const genuine = v2PairAddress(requireDeployment(chain, 'v2'), state.token0, state.token1)
    return isAddressEqual(genuine, pair) ? state : null
  })
}

function v3Query(chain: Chain, pool: Address): Query<PoolState | null> {
  return mapQuery(v3PoolQuery(pool, v3IdentityQuery(pool)), (state) => {
    if (state === null) return null
    const genuine = v3PoolAddress(requireDeployment(chain, 'v3'), state.token0, state.token1, state.fee)
    return isAddressEqual(genuine, pool) ? state : null
  })
}

function v4Query(chain: Chain, id: Hex): Query<FoundPool> {
  const deployment = requireDeployment(chain, 'v4')
  const both = joinQueries([v4StateQuery(deployment, id), v4KeyQuery(deployment, id)] as const)
  return mapQuery(both, ([state, key]) => {
    if (state === null) return null
    return key === null ? (found: PoolKey) => v4PoolState(found, state) : v4PoolState(key, state)
  })
}

function notFound(chain: Chain, version: Version): ToolError {
  const message = `No ${version} pool with a price stands under this id on ${chain.name}.`
  return new ToolError('POOL_NOT_FOUND', message, {
    details: [{ field: 'pool', message, accepted: 'a pool as get_pools_by_token_pair and search_pools show it' }],
  })
}

/**
 * The key behind a PoolId that no position manager knows: a standard key over listed tokens, else the one in the log of the
 * pool's creation. `null` when the logs that the endpoint gives do not reach back that far.
 *
 * @throws ToolError `RPC_*`
 */
async function resolvePoolKey(ports: ReadPorts, chain: Chain, id: Hex, blockNumber: bigint): Promise<PoolKey | null> {
  return listedKey(chain, id) ?? (await createdKey(ports, chain, id, blockNumber))
}

function listedKey(chain: Chain, id: Hex): PoolKey | null {
  const currencies = [{ address: zeroAddress }, ...chain.tokens]
  for (const [index, a] of currencies.entries()) {
    for (const b of currencies.slice(index + 1)) {
      const [{ address: currency0 }, { address: currency1 }] = sortPair(a, b)
      const match = standardKeys(currency0, currency1).find((key) => poolIdOf(key) === id)
      if (match !== undefined) return match
    }
  }
  return null
}

async function createdKey(ports: ReadPorts, chain: Chain, id: Hex, blockNumber: bigint): Promise<PoolKey | null> {
  const client = ports.rpc.client(chain)
  const { poolManager } = requireDeployment(chain, 'v4')
  const event = getAbiItem({ abi: v4PoolManagerAbi, name: 'Initialize' })
  const { logs } = await scanRareLogs({
    read: (fromBlock, toBlock) =>
      client.getLogs({ address: poolManager, event, args: { id }, fromBlock, toBlock, strict: true }),
    newest: blockNumber,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    learnt: learntOf(ports.rpc, chain, 'pool of v4'),
    isEnough: (logs) => logs.length > 0,
  })
  const args = logs[0]?.args
  if (args === undefined) return null
  const { currency0, currency1, fee, tickSpacing, hooks } = args
  const key = { currency0, currency1, fee, tickSpacing, hooks }
  return poolIdOf(key) === id ? key : null
}

/**
 * The pools of several pairs at one block, in one request; deepest first within a pair. In v2 and v3 the native currency
 * stands for its wrapped token; v4 pools hold exactly the currencies named.
 *
 * @throws ToolError `RPC_*`
 */
export async function findPoolsOfPairs(
  ports: ReadPorts,
  chain: Chain,
  pairs: readonly PairRequest[],
  blockNumber: bigint,
): Promise<readonly (readonly Pool[])[]> {
  const asked = joinQueries(await inTurns(queriesOf(ports, chain, pairs)))
  const found = await readQuery(ports.rpc.client(chain), chain, asked, blockNumber)
  return found.map((pools) => pools(blockNumber))
}

/** The same at the newest block, and which block that is. */
export async function findPoolsAtHead(
  ports: ReadPorts,
  chain: Chain,
  pairs: readonly PairRequest[],
): Promise<{ readonly pools: readonly (readonly Pool[])[]; readonly blockNumber: bigint }> {
  const asked = joinQueries(await inTurns(queriesOf(ports, chain, pairs)))
  const { head, result } = await readAtHead(ports.rpc, chain, asked)
  return { pools: result.map((pools) => pools(head.number)), blockNumber: head.number }
}

/** The pools that are found, as of the block that they were read at. */
type FoundPools = (blockNumber: bigint) => readonly Pool[]

/** Where pools stand takes some twenty hashes a pair. */
function* queriesOf(
  ports: ReadPorts,
  chain: Chain,
  pairs: readonly PairRequest[],
): Generator<void, readonly Query<FoundPools>[]> {
  const queries: Query<FoundPools>[] = []
  for (const { tokens, versions } of pairs) {
    const found: Query<FoundPools>[] = []
    for (const version of versions) {
      found.push(versionQuery(ports, chain, tokens, version))
      yield
    }
    const deepest = (pools: readonly FoundPools[]) => (blockNumber: bigint) =>
      pools.flatMap((of) => of(blockNumber)).toSorted(deeperFirst)
    queries.push(mapQuery(joinQueries(found), deepest))
  }
  return queries
}

/** Two tokens in any order and the versions in which their pools are wanted. */
export type PairRequest = { readonly tokens: readonly [Token, Token]; readonly versions: readonly Version[] }

function versionQuery(
  ports: ReadPorts,
  chain: Chain,
  tokens: readonly [Token, Token],
  version: Version,
): Query<FoundPools> {
  const known = (token: Token) => (token.isNative && version !== 'v4' ? ports.tokens.wrapped(chain) : token)
  const [token0, token1] = sortPair(known(tokens[0]), known(tokens[1]))
  if (token0.address === token1.address) return knownQuery(() => [])
  return mapQuery(
    poolsQuery(chain, version, token0.address, token1.address),
    (states) => (blockNumber) => states.map((state) => poolOf(state, [token0, token1], blockNumber)),
  )
}

/** In-range liquidity is comparable between pools of one pair: it is the depth at nearly the same price. */
function deeperFirst(a: Pool, b: Pool): number {
  return a.liquidity === b.liquidity ? 0 : a.liquidity > b.liquidity ? -1 : 1
}

/**
 * The pools of two sorted currencies in one version: the v2 pair, the v3 pools of the four tiers, the v4 pools under standard
 * keys. A v2 or v3 pool is read where its factory creates it, and nobody else can create anything there (EIP-1014). A version
 * that is not deployed has none.
 */
function poolsQuery(chain: Chain, version: Version, token0: Address, token1: Address): Query<readonly PoolState[]> {
  const queries = { v2: v2Queries, v3: v3Queries, v4: v4Queries }[version](chain, token0, token1)
  return mapQuery(joinQueries(queries), (states) => states.filter((state) => state !== null))
}

type FoundQuery = Query<PoolState | null>

function v2Queries(chain: Chain, token0: Address, token1: Address): FoundQuery[] {
  const { v2 } = chain.amm
  if (v2 === undefined || token0 === zeroAddress) return []
  const pair = v2PairAddress(v2, token0, token1)
  return [v2PairQuery(pair, knownQuery({ token0, token1 }))]
}

function v3Queries(chain: Chain, token0: Address, token1: Address): FoundQuery[] {
  const { v3 } = chain.amm
  if (v3 === undefined || token0 === zeroAddress) return []
  return v3Tiers.map((fee) => {
    const pool = v3PoolAddress(v3, token0, token1, fee)
    const identity = knownQuery({ token0, token1, fee, tickSpacing: tickSpacingForFee(fee) })
    return v3PoolQuery(pool, identity)
  })
}

function v4Queries(chain: Chain, token0: Address, token1: Address): FoundQuery[] {
  const { v4 } = chain.amm
  return v4 === undefined ? [] : standardKeys(token0, token1).map((key) => v4PoolQuery(v4, key))
}

export const v3Tiers = [100, 500, 3_000, 10_000] as const
