import type { Chain } from '@svc/wallet/core'
import { type Address, getAbiItem, isAddressEqual } from 'viem'
import { contractRead } from '../../rpc/contract-function.ts'
import { everyResult, readAll } from '../../rpc/read-all.ts'
import { v4PositionManagerAbi } from '../../abis/v4.ts'
import { scanRareLogs } from '../logs/scan-logs.ts'
import { requireDeployment } from '../planning/refusals.ts'
import type { ReadPorts } from '../liquidity-ports.ts'

/**
 * The v4 position tokens of an owner, newest first. The position manager does not enumerate them but counts them: where few
 * tokens exist each is asked for its owner, else the logs of transfers to the owner are read until as many are found.
 *
 * @throws ToolError `RPC_*`
 */
export async function ownedV4TokenIds(
  ports: ReadPorts,
  chain: Chain,
  owner: Address,
  limits: { readonly blockNumber: bigint; readonly mostPositions: number },
): Promise<OwnedTokenIds> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const reads = [
    contractRead(positionManager, v4PositionManagerAbi, 'balanceOf', [owner]),
    contractRead(positionManager, v4PositionManagerAbi, 'nextTokenId', []),
  ]
  const client = ports.rpc.client(chain)
  const [balance = 0n, nextTokenId = 0n] = everyResult(await readAll(client, chain, reads, limits.blockNumber))
  if (balance === 0n) return { ids: [], complete: true }
  const candidates =
    nextTokenId <= fewTokens
      ? Array.from({ length: Number(nextTokenId) }, (_, id) => BigInt(id))
      : await receivedTokenIds(ports, chain, owner, { ...limits, balance })
  const owners = await readAll(
    client,
    chain,
    candidates.map((id) => contractRead(positionManager, v4PositionManagerAbi, 'ownerOf', [id])),
    limits.blockNumber,
  )
  const owned = candidates.filter((_, index) => {
    const holder = owners[index] ?? null
    return holder !== null && isAddressEqual(holder, owner)
  })
  const ids = owned.toSorted((a, b) => (a > b ? -1 : 1)).slice(0, limits.mostPositions)
  return { ids, complete: BigInt(ids.length) === balance }
}

/** Token ids of an owner, and whether they are all of them. */
export type OwnedTokenIds = { readonly ids: readonly bigint[]; readonly complete: boolean }

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
