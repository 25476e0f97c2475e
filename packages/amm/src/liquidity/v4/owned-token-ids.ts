import type { Chain } from '@svc/wallet/core'
import { type Address, getAbiItem, isAddressEqual } from 'viem'
import { contractRead } from '../../rpc/contract-function.ts'
import { everyResult } from '../../rpc/read-all.ts'
import { joinQueries, mapQuery, query, type Query } from '../../rpc/query.ts'
import { v4PositionManagerAbi } from '../../abis/v4.ts'
import { learntOf, scanRareLogs } from '../logs/scan-logs.ts'
import { requireDeployment } from '../planning/refusals.ts'
import type { ReadPorts } from '../liquidity-ports.ts'

/** How many v4 position tokens an owner holds, which of those that it held before it holds still, and which id comes next. */
export function ownedV4Query(chain: Chain, owner: Address, before: readonly bigint[]): Query<OwnedV4> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const counts = query(
    [
      contractRead(positionManager, v4PositionManagerAbi, 'balanceOf', [owner]),
      contractRead(positionManager, v4PositionManagerAbi, 'nextTokenId', []),
    ],
    everyResult,
  )
  const owners = query(
    before.map((id) => contractRead(positionManager, v4PositionManagerAbi, 'ownerOf', [id])),
    (found) => found,
  )
  return mapQuery(joinQueries([counts, owners] as const), ([[balance = 0n, nextTokenId = 0n], found]) => {
    const held = before.filter((_, index) => {
      const holder = found[index] ?? null
      return holder !== null && isAddressEqual(holder, owner)
    })
    return { balance, nextTokenId, held }
  })
}

export type OwnedV4 = { readonly balance: bigint; readonly nextTokenId: bigint; readonly held: readonly bigint[] }

/**
 * The v4 position tokens that may be an owner's, newest first. The position manager does not enumerate them but counts them: where it
 * holds as many of those that it held before, these are all; where few tokens exist each may be one, else those that the logs of transfers tell,
 * which are read until as many are found.
 *
 * @throws ToolError `RPC_*`
 */
export async function v4Candidates(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  facts: OwnedV4 & { readonly blockNumber: bigint },
): Promise<readonly bigint[]> {
  const { balance, nextTokenId, held } = facts
  if (balance === 0n) return []
  const candidates =
    BigInt(held.length) === balance
      ? held
      : nextTokenId <= fewTokens
        ? Array.from({ length: Number(nextTokenId) }, (_, id) => BigInt(id))
        : await receivedTokenIds(ports, chain, owner, facts)
  return candidates.toSorted((a, b) => (a > b ? -1 : 1))
}

/** So few that asking each for its owner is cheaper than any search of logs. */
const fewTokens = 1_500n

async function receivedTokenIds(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  facts: { readonly blockNumber: bigint; readonly balance: bigint },
): Promise<bigint[]> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const client = ports.rpc.client(chain)
  const event = getAbiItem({ abi: v4PositionManagerAbi, name: 'Transfer' })
  const read = async (fromBlock: bigint, toBlock: bigint) => {
    const range = { address: positionManager, event, fromBlock, toBlock, strict: true } as const
    const [received, sent] = await Promise.all([
      client.getLogs({ ...range, args: { to: owner } }),
      client.getLogs({ ...range, args: { from: owner } }),
    ])
    return [...received, ...sent]
  }
  const { logs } = await scanRareLogs({
    read,
    newest: facts.blockNumber,
    oldest: 0n,
    spanBlocks: chain.logRangeBlocks,
    maxRequests: 40,
    learnt: learntOf(ports.rpc, chain, 'tokens of an owner of v4'),
    isEnough: (logs) => stillHeld(logs, owner) >= Number(facts.balance),
  })
  return [...new Set(logs.map(({ args }) => args.id))]
}

/** How many of the tokens received in a stretch up to now were not sent on in it. */
function stillHeld(logs: readonly { args: { from: Address; to: Address; id: bigint } }[], owner: Address): number {
  const sent = new Set(logs.filter(({ args }) => isAddressEqual(args.from, owner)).map(({ args }) => args.id))
  const received = new Set(logs.filter(({ args }) => isAddressEqual(args.to, owner)).map(({ args }) => args.id))
  return [...received].filter((id) => !sent.has(id)).length
}
