import type { Chain } from '@svc/wallet/core'
import { isAddressEqual, type Address, type Hex } from 'viem'
import type { Pool, PoolReference, Version } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { joinQueries } from '../../rpc/query.ts'
import { readQuery } from '../../rpc/read-query.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import type { ReadPorts } from '../read-ports.ts'
import { v2PairAddress } from '../v2/pair-address.ts'
import { v2IdentityQuery, v2PairQuery } from '../v2/pair-query.ts'
import { v3PoolAddress } from '../v3/pool-address.ts'
import { v3IdentityQuery, v3PoolQuery } from '../v3/pool-query.ts'
import { v4KeyQuery, v4PoolState, v4StateQuery } from '../v4/pool-query.ts'
import { resolvePoolKey } from '../v4/resolve-pool-key.ts'
import { poolOf, type PoolState } from './pool-state.ts'

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
  const { version, id } = reference
  requireDeployment(chain, version)
  if (id.length !== (version === 'v4' ? 66 : 42)) throw notFound(chain, version)
  const at = blockNumber ?? (await ports.rpc.head(chain)).number
  const read = { v2: readPair, v3: readV3Pool, v4: readV4Pool }[version]
  const state = await read(ports, chain, id, at)
  if (state === null) throw notFound(chain, version)
  const tokens = await Promise.all([
    ports.tokens.byAddress(chain, state.token0),
    ports.tokens.byAddress(chain, state.token1),
  ])
  return poolOf(state, tokens, at)
}

async function readPair(ports: ReadPorts, chain: Chain, pair: Address, blockNumber: bigint): Promise<PoolState | null> {
  const state = await readQuery(ports.rpc.client(chain), chain, v2PairQuery(pair, v2IdentityQuery(pair)), blockNumber)
  if (state === null) return null
  const genuine = v2PairAddress(requireDeployment(chain, 'v2'), state.token0, state.token1)
  return isAddressEqual(genuine, pair) ? state : null
}

async function readV3Pool(
  ports: ReadPorts,
  chain: Chain,
  pool: Address,
  blockNumber: bigint,
): Promise<PoolState | null> {
  const state = await readQuery(ports.rpc.client(chain), chain, v3PoolQuery(pool, v3IdentityQuery(pool)), blockNumber)
  if (state === null) return null
  const genuine = v3PoolAddress(requireDeployment(chain, 'v3'), state.token0, state.token1, state.fee)
  return isAddressEqual(genuine, pool) ? state : null
}

async function readV4Pool(ports: ReadPorts, chain: Chain, id: Hex, blockNumber: bigint): Promise<PoolState | null> {
  const deployment = requireDeployment(chain, 'v4')
  const both = joinQueries([v4StateQuery(deployment, id), v4KeyQuery(deployment, id)] as const)
  const [state, stored] = await readQuery(ports.rpc.client(chain), chain, both, blockNumber)
  if (state === null) return null
  const key = stored ?? (await resolvePoolKey(ports, chain, id, blockNumber))
  return key === null ? null : v4PoolState(key, state)
}

function notFound(chain: Chain, version: Version): ToolError {
  const message = `No ${version} pool with a price stands under this id on ${chain.name}.`
  return new ToolError('POOL_NOT_FOUND', message, {
    details: [{ field: 'pool', message, accepted: 'a pool as get_pools_by_token_pair and search_pools show it' }],
  })
}
