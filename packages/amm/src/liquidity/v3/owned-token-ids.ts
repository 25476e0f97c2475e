import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { contractRead } from '../../rpc/contract-read.ts'
import { everyResult } from '../../rpc/every-result.ts'
import { readAll } from '../../rpc/read-all.ts'
import { v3PositionManagerAbi } from '../../abis/v3-position-manager.ts'
import type { OwnedTokenIds } from '../positions/owned-token-ids.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import type { ReadPorts } from '../read-ports.ts'

/** The v3 position tokens of an owner, newest first, which the position manager enumerates. @throws ToolError `RPC_*` */
export async function ownedV3TokenIds(
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
