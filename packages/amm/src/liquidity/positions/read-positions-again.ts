import type { Chain } from '@svc/wallet/core'
import type { Liquidity, Position } from '../../ports.ts'
import { joinQueries, type Query, readQuery } from '../../rpc/query.ts'
import { lightReadsPerCall, readNumber, readOnce } from '../../rpc/read-all.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { readV3Positions, v3PositionAgain } from '../v3/read-positions.ts'
import { readV4Positions, v4PositionAgain } from '../v4/read-positions.ts'
import type { PositionAt } from './position-of.ts'

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
