import { tickSpacingForFee } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { isAddressEqual, zeroAddress, type Address } from 'viem'
import type { Version } from '../../../ports.ts'
import { contractFunction } from '../../rpc/contract-function.ts'
import { joinQueries, knownQuery, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v2FactoryAbi } from '../abis/v2-factory.ts'
import { v3FactoryAbi } from '../abis/v3-factory.ts'
import { v2PairAddress } from '../v2/pair-address.ts'
import { v2PairQuery } from '../v2/pair-query.ts'
import { v3PoolAddress } from '../v3/pool-address.ts'
import { v3PoolQuery } from '../v3/pool-query.ts'
import { v4PoolQuery } from '../v4/pool-query.ts'
import { standardKeys } from '../v4/standard-keys.ts'
import type { PoolState } from './pool-state.ts'

/**
 * The pools of two sorted currencies in one version: the v2 pair, the v3 pools of the four tiers, the v4 pools under standard
 * keys. A v2 or v3 pool is read where its factory must have put it, and counts when the factory says so in the same request.
 * A version that is not deployed has none.
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
  const named = query([readPair(v2.factory, [token0, token1])], ([address]) => address)
  return [whereNamed(pair, named, v2PairQuery(pair, knownQuery({ token0, token1 })))]
}

function v3Queries(chain: Chain, token0: Address, token1: Address): FoundQuery[] {
  const { v3 } = chain.amm
  if (v3 === undefined || token0 === zeroAddress) return []
  return v3Tiers.map((fee) => {
    const pool = v3PoolAddress(v3, token0, token1, fee)
    const named = query([readPool(v3.factory, [token0, token1, fee])], ([address]) => address)
    const identity = knownQuery({ token0, token1, fee, tickSpacing: tickSpacingForFee(fee) })
    return whereNamed(pool, named, v3PoolQuery(pool, identity))
  })
}

function v4Queries(chain: Chain, token0: Address, token1: Address): FoundQuery[] {
  const { v4 } = chain.amm
  return v4 === undefined ? [] : standardKeys(token0, token1).map((key) => v4PoolQuery(v4, key))
}

const v3Tiers = [100, 500, 3_000, 10_000] as const

function whereNamed(expected: Address, named: Query<Address | null>, state: FoundQuery): FoundQuery {
  return mapQuery(joinQueries([named, state] as const), ([address, found]) =>
    address !== null && isAddressEqual(address, expected) ? found : null,
  )
}

const readPair = contractFunction(v2FactoryAbi, 'getPair')
const readPool = contractFunction(v3FactoryAbi, 'getPool')
