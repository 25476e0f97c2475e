import { tickSpacingForFee } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress, type Address } from 'viem'
import type { Version } from '../../ports.ts'
import { joinQueries, knownQuery, mapQuery, type Query } from '../../rpc/query.ts'
import { v2PairAddress } from '../v2/pair-address.ts'
import { v2PairQuery } from '../v2/pair-query.ts'
import { v3PoolAddress } from '../v3/pool-address.ts'
import { v3PoolQuery } from '../v3/pool-query.ts'
import { v4PoolQuery } from '../v4/pool-query.ts'
import { standardKeys } from '../v4/standard-keys.ts'
import type { PoolState } from './pool-state.ts'

/**
 * The pools of two sorted currencies in one version: the v2 pair, the v3 pools of the four tiers, the v4 pools under standard
 * keys. A v2 or v3 pool is read where its factory creates it, and nobody else can create anything there (EIP-1014). A version
 * that is not deployed has none.
 */
export function pairQuery(
  chain: Chain,
  version: Version,
  token0: Address,
  token1: Address,
): Query<readonly PoolState[]> {
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

const v3Tiers = [100, 500, 3_000, 10_000] as const
