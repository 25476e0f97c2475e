import type { Chain } from '@svc/wallet/core'
import type { Pool, Token, Version } from '../../ports.ts'
import { joinQueries, mapQuery, type Query } from '../../rpc/query.ts'
import { readQuery } from '../../rpc/read-query.ts'
import { inTurns } from '@svc/runtime'
import type { ReadPorts } from '../read-ports.ts'
import { pairQuery } from './pair-query.ts'
import { poolOf } from './pool-state.ts'
import { sortPair } from './sort-pair.ts'

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
  const queries = await inTurns(queriesOf(ports, chain, pairs, blockNumber))
  return readQuery(ports.rpc.client(chain), chain, joinQueries(queries), blockNumber)
}

/** Where pools stand takes some twenty hashes a pair. */
function* queriesOf(
  ports: ReadPorts,
  chain: Chain,
  pairs: readonly PairRequest[],
  blockNumber: bigint,
): Generator<void, readonly Query<readonly Pool[]>[]> {
  const queries: Query<readonly Pool[]>[] = []
  for (const { tokens, versions } of pairs) {
    const found: Query<readonly Pool[]>[] = []
    for (const version of versions) {
      found.push(versionQuery(ports, chain, tokens, version, blockNumber))
      yield
    }
    queries.push(mapQuery(joinQueries(found), (pools) => pools.flat().toSorted(deeperFirst)))
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
  blockNumber: bigint,
): Query<readonly Pool[]> {
  const known = (token: Token) => (token.isNative && version !== 'v4' ? ports.tokens.wrapped(chain) : token)
  const [token0, token1] = sortPair(known(tokens[0]), known(tokens[1]))
  if (token0.address === token1.address) return { reads: [], finish: () => [] }
  return mapQuery(pairQuery(chain, version, token0.address, token1.address), (states) =>
    states.map((state) => poolOf(state, [token0, token1], blockNumber)),
  )
}

/** In-range liquidity is comparable between pools of one pair: it is the depth at nearly the same price. */
function deeperFirst(a: Pool, b: Pool): number {
  return a.liquidity === b.liquidity ? 0 : a.liquidity > b.liquidity ? -1 : 1
}
