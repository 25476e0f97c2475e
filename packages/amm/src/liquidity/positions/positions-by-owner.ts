import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { contractRead } from '../../rpc/contract-function.ts'
import { everyResult, readAll } from '../../rpc/read-all.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import { requireDeployment } from '../planning/refusals.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import type { PairShare, Position, Version } from '../../ports.ts'
import { findPoolsOfPairs } from '../pools/find-pools-of-pairs.ts'
import { readPairShares } from '../v2/read-pair-shares.ts'
import { readV3Positions } from '../v3/read-positions.ts'
import { type OwnedTokenIds, ownedV4TokenIds } from '../v4/owned-token-ids.ts'
import { readV4Positions } from '../v4/read-positions.ts'

/**
 * The positions of an owner at one block, closed ones included, at most 2,000 of a version: anybody may give a wallet positions of dust,
 * which must not hide its own. `complete` is false when there are more, or when the logs that the endpoint gives do not reach back to all v4 positions. v2 means pairs of listed tokens.
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

const mostPositions = 2_000

const readers: { readonly [Key in Version]: Reader } = {
  async v2(ports, chain, owner, blockNumber) {
    return { items: await ownedPairShares(ports, chain, owner, blockNumber), complete: true }
  },
  async v3(ports, chain, owner, blockNumber) {
    const { ids, complete } = await ownedV3TokenIds(ports, chain, owner, { blockNumber, mostPositions })
    return withAll(await readV3Positions(ports, chain, ids, { blockNumber }), complete)
  },
  async v4(ports, chain, owner, blockNumber) {
    const { ids, complete } = await ownedV4TokenIds(ports, chain, owner, { blockNumber, mostPositions })
    return withAll(await readV4Positions(ports, chain, ids, { blockNumber }), complete)
  },
}

function withAll(positions: readonly (Position | null)[], complete: boolean): OwnedPositions {
  const items = positions.filter((position) => position !== null)
  return { items, complete: complete && items.length === positions.length }
}

/** What an owner holds of the v2 pairs between listed tokens; other pairs cannot be enumerated. @throws ToolError `RPC_*` */
async function ownedPairShares(
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

/** The v3 position tokens of an owner, newest first, which the position manager enumerates. @throws ToolError `RPC_*` */
async function ownedV3TokenIds(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  limits: { readonly blockNumber: bigint; readonly mostPositions: number },
): Promise<OwnedTokenIds> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const client = ports.rpc.client(chain)
  const balanceRead = contractRead(positionManager, v3PositionManagerAbi, 'balanceOf', [owner])
  const [balance = 0n] = everyResult(await readAll(client, chain, [balanceRead], limits.blockNumber))
  const count = Math.min(Number(balance), limits.mostPositions)
  const reads = Array.from({ length: count }, (_, index) =>
    contractRead(positionManager, v3PositionManagerAbi, 'tokenOfOwnerByIndex', [owner, balance - 1n - BigInt(index)]),
  )
  const ids = everyResult(await readAll(client, chain, reads, limits.blockNumber))
  return { ids, complete: BigInt(ids.length) === balance }
}
