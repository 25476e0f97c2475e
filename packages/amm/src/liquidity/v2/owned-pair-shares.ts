import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { PairShare } from '../../ports.ts'
import { findPoolsOfPairs } from '../pools/find-pools-of-pairs.ts'
import type { ReadPorts } from '../read-ports.ts'
import { readPairShares } from './read-pair-shares.ts'

/** What an owner holds of the v2 pairs between listed tokens; other pairs cannot be enumerated. @throws ToolError `RPC_*` */
export async function ownedPairShares(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  blockNumber: bigint,
): Promise<readonly PairShare[]> {
  const tokens = await Promise.all(chain.tokens.map(({ address }) => ports.tokens.byAddress(chain, address)))
  const pairs = tokens.flatMap((a, index) =>
    tokens.slice(index + 1).map((b) => ({ tokens: [a, b] as const, versions: ['v2'] as const })),
  )
  const pools = await findPoolsOfPairs(ports, chain, pairs, blockNumber)
  const shares = await readPairShares(ports, chain, pools.flat(), owner)
  return shares.filter((share) => share !== null)
}
