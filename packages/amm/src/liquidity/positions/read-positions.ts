import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { v2PairAbi } from '../../abis/v2.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import type { Alongside, BlockTime, PairShare, Position, Token, Version, Liquidity, ReadPorts } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readAtHead, joinQueries, knownQuery, mapQuery, query, type Query, readQuery } from '../../rpc/query.ts'
import { everyResult, lightReadsPerCall, readNumber, readOnce } from '../../rpc/read-all.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { v2PairAddress } from '../pools/pool-address.ts'
import { sortPair } from '../pools/pool-state.ts'
import { type PairTokens, readSharesOf } from '../v2/read-pair-shares.ts'
import { readV3Positions, v3PositionAgain } from '../v3/read-positions.ts'
import { type OwnedV4, ownedV4Query, v4Candidates, readV4Positions, v4PositionAgain } from '../v4/read-positions.ts'
import type { PositionReading, PositionAt } from './position-of.ts'
import { createRecent } from '../../create-recent.ts'

/**
 * The positions of an owner at one block, closed ones included, at most 2,000 of a version: anybody may give a wallet positions of dust,
 * which must not hide its own. `complete` is false when there are more, or when the logs that the endpoint gives do not reach back to all v4 positions. v2 means pairs of listed tokens.
 * What the owner holds is counted with the reading of the head, where few are named or they are those of the last time; then follows what is
 * kept of each, then the state of its range.
 *
 * @throws ToolError `RPC_*`
 */
export async function positionsByOwner(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  { versions, alongside, memory }: OwnerReading,
): Promise<OwnedPositions> {
  const wanted = (version: Version) => versions.includes(version) && chain.amm[version] !== undefined
  const known = memory.ownedBy(chain, owner)
  const pairs = wanted('v2') ? await listedPairs(ports, chain) : []
  const { head, result } = await readAtHead(
    ports.rpc,
    chain,
    joinQueries([
      sharesQuery(pairs, owner),
      wanted('v3') ? ownedV3Query(chain, owner, known.v3Count) : knownQuery(null),
      wanted('v4') ? ownedV4Query(chain, owner, known.v4Ids) : knownQuery(null),
    ] as const),
  )
  const [shares, v3, v4] = result
  const held = pairs.filter((_, index) => (shares[index] ?? 0n) > 0n)
  const reading = (version: Position['version']): OwnReading => ({
    at: head,
    alongside,
    before: (id) => memory.position(chain, version, String(id)),
    owner,
    most: mostPositions,
  })
  const [ofV2, ofV3, ofV4] = await Promise.all([
    readSharesOf(ports, chain, held, { owner, at: head, alongside }),
    v3 === null ? nothing : readOwnedV3(ports, chain, v3, reading('v3')),
    v4 === null ? nothing : readOwnedV4(ports, chain, v4, reading('v4')),
  ])
  memory.keepOwned(chain, owner, {
    v3Count: v3 === null ? known.v3Count : Number(v3.balance),
    v4Ids: v4 === null ? known.v4Ids : ofV4.items.map(({ positionId }) => BigInt(positionId)),
  })
  for (const position of [...ofV3.items, ...ofV4.items]) memory.keepPosition(chain, position)
  return { items: [...ofV2, ...ofV3.items, ...ofV4.items], complete: ofV3.complete && ofV4.complete }
}

export type OwnedPositions = { readonly items: readonly (Position | PairShare)[]; readonly complete: boolean }

export type OwnerReading = {
  readonly versions: readonly Version[]
  readonly alongside?: Alongside | undefined
  readonly memory: PositionMemory
}

type OwnReading = PositionReading & { readonly at: BlockTime; readonly owner: Address; readonly most: number }
type Owned = { readonly items: readonly Position[]; readonly complete: boolean }

const nothing: Owned = { items: [], complete: true }
const mostPositions = 2_000
const fewIds = 20

function ownedOf(positions: readonly (Position | null)[], balance: bigint): Owned {
  const items = positions.filter((position) => position !== null)
  return { items, complete: BigInt(items.length) === balance }
}

/** Every v2 pair between listed tokens; others cannot be enumerated. */
async function listedPairs(ports: ReadPorts, chain: Chain): Promise<readonly PairTokens[]> {
  const tokens = await Promise.all(chain.tokens.map(({ address }) => ports.tokens.byAddress(chain, address)))
  const deployment = requireDeployment(chain, 'v2')
  const placed = (one: Token, other: Token): PairTokens => {
    const [token0, token1] = sortPair(one, other)
    return { pair: v2PairAddress(deployment, token0.address, token1.address), tokens: [token0, token1] }
  }
  return tokens.flatMap((a, index) => tokens.slice(index + 1).map((b) => placed(a, b)))
}

function sharesQuery(pairs: readonly PairTokens[], owner: Address): Query<readonly (bigint | null)[]> {
  return query(
    pairs.map(({ pair }) => contractRead(pair, v2PairAbi, 'balanceOf', [owner])),
    (shares) => shares,
  )
}

/** How many v3 tokens an owner holds, and the first of them, which the position manager enumerates. */
function ownedV3Query(chain: Chain, owner: Address, knownCount: number) {
  const { positionManager } = requireDeployment(chain, 'v3')
  const first = Math.min(mostGuessed, Math.max(fewIds, knownCount + 1))
  const balance = query([contractRead(positionManager, v3PositionManagerAbi, 'balanceOf', [owner])], everyResult)
  const ids = query(
    Array.from({ length: first }, (_, index) => idRead(positionManager, owner, BigInt(index))),
    (found) => found.slice(0, [...found, null].indexOf(null)),
  )
  return mapQuery(joinQueries([balance, ids] as const), ([[count = 0n], found]): OwnedV3 => ({
    balance: count,
    ids: found.filter((id) => id !== null),
  }))
}

/** `ids` are the first ones, oldest first. */
type OwnedV3 = { readonly balance: bigint; readonly ids: readonly bigint[] }

function idRead(positionManager: Address, owner: Address, index: bigint) {
  return contractRead(positionManager, v3PositionManagerAbi, 'tokenOfOwnerByIndex', [owner, index])
}

/** Newest first. */
async function readOwnedV3(
  ports: ReadPorts,
  chain: Chain,
  { balance, ids: first }: OwnedV3,
  reading: OwnReading,
): Promise<Owned> {
  const { positionManager } = requireDeployment(chain, 'v3')
  const from = Math.max(first.length, Number(balance) - mostPositions)
  const others = Array.from({ length: Math.max(0, Number(balance) - from) }, (_, index) =>
    idRead(positionManager, reading.owner, BigInt(from + index)),
  )
  const later = await readQuery(ports.rpc.client(chain), chain, query(others, everyResult), reading.at.number)
  const ids = [...first, ...later].toReversed().slice(0, mostPositions)
  return ownedOf(await readV3Positions(ports, chain, ids, reading), balance)
}

/** Newest first. */
async function readOwnedV4(ports: ReadPorts, chain: Chain, owned: OwnedV4, reading: OwnReading): Promise<Owned> {
  const candidates = await v4Candidates(ports, chain, reading.owner, { ...owned, blockNumber: reading.at.number })
  return ownedOf(await readV4Positions(ports, chain, candidates, reading), owned.balance)
}

/**
 * Positions at the newest block, `null` for those that are not there. What was read before stands where it stood, so all that is asked of it
 * travels at once, with the head: one HTTP request for a hundred. Each is of one block; those of different calls may be of two blocks
 * that follow each other.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`, `RPC_*`
 */
export async function readPositionsAgain(
  ports: ReadPorts,
  chain: Chain,
  asked: Parameters<Liquidity['positions']>[1],
): Promise<readonly (Position | null)[]> {
  const found = new Map<Asked, Position | null>()
  const known = asked.flatMap((one) => (one.before === null ? [] : [{ one, before: one.before }]))
  const again = known.map(({ before }) => ({ v3: v3PositionAgain, v4: v4PositionAgain })[before.version](chain, before))
  const [positions] = await Promise.all([readAgain(ports, chain, again), readNew(ports, chain, asked, found)])
  for (const [index, { one }] of known.entries()) found.set(one, positions[index] ?? null)
  return asked.map((one) => found.get(one) ?? null)
}

type Asked = Parameters<Liquidity['positions']>[1][number]

async function readNew(
  ports: ReadPorts,
  chain: Chain,
  asked: readonly Asked[],
  found: Map<Asked, Position | null>,
): Promise<void> {
  const reads = (['v3', 'v4'] as const).map(async (version) => {
    const ones = asked.filter((one) => one.before === null && one.version === version)
    if (ones.length === 0) return
    const read = { v3: readV3Positions, v4: readV4Positions }[version]
    const ids = ones.map(({ positionId }) => BigInt(positionId))
    const positions = await read(ports, chain, ids)
    for (const [index, one] of ones.entries()) found.set(one, positions[index] ?? null)
  })
  await Promise.all(reads)
}

async function readAgain(
  ports: ReadPorts,
  chain: Chain,
  queries: readonly Query<PositionAt>[],
): Promise<readonly (Position | null)[]> {
  if (queries.length === 0) return []
  const client = ports.rpc.client(chain)
  const calls = packed(queries).map((group) => joinQueries(group))
  const [head, ...answers] = await Promise.all([
    ports.rpc.head(chain),
    ...calls.map(({ reads }) => readOnce(client, chain, [readNumber(chain.multicall3, []), ...reads])),
  ])
  const all = calls.map(async (call, index) => {
    const [number, ...results] = answers[index] ?? []
    // What failed, or an endpoint that is behind has answered, is asked for again where the head is.
    if (typeof number !== 'bigint' || number < head.number)
      return (await readQuery(client, chain, call, head.number)).map((at) => at(head.number))
    return call.finish(results).map((at) => at(number))
  })
  return (await Promise.all(all)).flat()
}

/** Whole queries into calls that a node carries out at once, so that each is answered at one block. */
function packed(queries: readonly Query<PositionAt>[]): readonly (readonly Query<PositionAt>[])[] {
  const groups: Query<PositionAt>[][] = []
  let room = 0
  for (const query of queries) {
    if (query.reads.length > room) {
      groups.push([])
      room = lightReadsPerCall - 1
    }
    groups.at(-1)?.push(query)
    room -= query.reads.length
  }
  return groups
}

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
const mostGuessed = 200

export type PositionMemory = {
  position(chain: Chain, version: Position['version'], positionId: string): Position | null
  keepPosition(chain: Chain, position: Position): void
  ownedBy(chain: Chain, owner: Address): OwnedIds
  keepOwned(chain: Chain, owner: Address, ids: OwnedIds): void
}

/** How many tokens of v3 an owner holds, and which of v4. */
type OwnedIds = { readonly v3Count: number; readonly v4Ids: readonly bigint[] }
