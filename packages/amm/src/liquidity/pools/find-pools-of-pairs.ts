import { tickSpacingForFee } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress, type Address } from 'viem'
import type { Pool, Token, Version } from '../../ports.ts'
import { readAtHead, joinQueries, knownQuery, mapQuery, type Query, readQuery } from '../../rpc/query.ts'
import { v2PairAddress, v3PoolAddress } from './pool-address.ts'
import { v2PairQuery } from '../v2/pair-query.ts'
import { v3PoolQuery } from '../v3/pool-query.ts'
import { v4PoolQuery } from '../v4/pool-query.ts'
import { standardKeys } from '../v4/pool-key.ts'
import { poolOf, type PoolState, sortPair } from './pool-state.ts'
import { inTurns } from '@svc/runtime'
import type { ReadPorts } from '../liquidity-ports.ts'

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
    pairQuery(chain, version, token0.address, token1.address),
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
function pairQuery(chain: Chain, version: Version, token0: Address, token1: Address): Query<readonly PoolState[]> {
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
