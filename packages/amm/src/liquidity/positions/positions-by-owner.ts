import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { PairShare, Position, Version } from '../../ports.ts'
import type { ReadPorts } from '../read-ports.ts'
import { ownedPairShares } from '../v2/owned-pair-shares.ts'
import { ownedV3TokenIds } from '../v3/owned-token-ids.ts'
import { readV3Positions } from '../v3/read-positions.ts'
import { ownedV4TokenIds } from '../v4/owned-token-ids.ts'
import { readV4Positions } from '../v4/read-positions.ts'

/**
 * The positions of an owner at one block, closed ones included, at most 200 of a version. `complete` is false when there are
 * more, or when the logs that the endpoint gives do not reach back to all v4 positions. v2 means pairs of listed tokens.
 *
 * @throws ToolError `RPC_*`
 */
export async function positionsByOwner(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  versions: readonly Version[],
): Promise<OwnedPositions> {
  const { number: blockNumber } = await ports.rpc.head(chain)
  const wanted = (['v2', 'v3', 'v4'] as const).filter(
    (version) => versions.includes(version) && chain.amm[version] !== undefined,
  )
  const parts = await Promise.all(wanted.map((version) => readers[version](ports, chain, owner, blockNumber)))
  return { items: parts.flatMap(({ items }) => items), complete: parts.every(({ complete }) => complete) }
}

export type OwnedPositions = { readonly items: readonly (Position | PairShare)[]; readonly complete: boolean }

type Reader = (ports: ReadPorts, chain: Chain, owner: Address, blockNumber: bigint) => Promise<OwnedPositions>

const mostPositions = 200

const readers: { readonly [Key in Version]: Reader } = {
  async v2(ports, chain, owner, blockNumber) {
    return { items: await ownedPairShares(ports, chain, owner, blockNumber), complete: true }
  },
  async v3(ports, chain, owner, blockNumber) {
    const { ids, complete } = await ownedV3TokenIds(ports, chain, owner, { blockNumber, mostPositions })
    return withAll(await readV3Positions(ports, chain, ids, blockNumber), complete)
  },
  async v4(ports, chain, owner, blockNumber) {
    const { ids, complete } = await ownedV4TokenIds(ports, chain, owner, { blockNumber, mostPositions })
    return withAll(await readV4Positions(ports, chain, ids, blockNumber), complete)
  },
}

function withAll(positions: readonly (Position | null)[], complete: boolean): OwnedPositions {
  const items = positions.filter((position) => position !== null)
  return { items, complete: complete && items.length === positions.length }
}
