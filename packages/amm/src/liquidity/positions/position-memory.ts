import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { createRecent } from '../../create-recent.ts'
import type { Position } from '../../ports.ts'

/**
 * How positions stood when they were read last, and which an owner held: what is likely to be asked for with the first exchange, never an
 * answer. Remembers the last 2,000 positions and 500 owners.
 */
export function createPositionMemory(): PositionMemory {
  const positions = createRecent<Position>(2_000)
  const owned = createRecent<OwnedIds>(500)
  const nameOf = (chain: Chain, version: string, id: string) => `${chain.id} ${version} ${id}`
  return {
    position: (chain, version, id) => positions.of(nameOf(chain, version, id)),
    keepPosition: (chain, position) => positions.keep(nameOf(chain, position.version, position.positionId), position),
    ownedBy: (chain, owner) => owned.of(`${chain.id} ${owner}`) ?? { v3Count: 0, v4Ids: [] },
    keepOwned: (chain, owner, { v3Count, v4Ids }) =>
      owned.keep(`${chain.id} ${owner}`, { v3Count, v4Ids: v4Ids.slice(0, mostGuessed) }),
  }
}

/** Ids of one owner that are asked for before it is known how many there are. */
export const mostGuessed = 200

export type PositionMemory = {
  position(chain: Chain, version: Position['version'], positionId: string): Position | null
  keepPosition(chain: Chain, position: Position): void
  ownedBy(chain: Chain, owner: Address): OwnedIds
  keepOwned(chain: Chain, owner: Address, ids: OwnedIds): void
}

/** How many tokens of v3 an owner holds, and which of v4. */
type OwnedIds = { readonly v3Count: number; readonly v4Ids: readonly bigint[] }
