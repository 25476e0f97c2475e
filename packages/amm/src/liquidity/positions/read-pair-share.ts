import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { PairShare } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { readPool } from '../pools/read-pool.ts'
import type { ReadPorts } from '../read-ports.ts'
import { readPairShares } from '../v2/read-pair-shares.ts'

/** @throws ToolError `POOL_NOT_FOUND`, `POSITION_NOT_FOUND` where the owner holds nothing, `VERSION_NOT_DEPLOYED`, `RPC_*` */
export async function readPairShare(ports: ReadPorts, chain: Chain, pair: Address, owner: Address): Promise<PairShare> {
  const pool = await readPool(ports, chain, { version: 'v2', id: pair })
  const [share] = await readPairShares(ports, chain, [pool], owner)
  if (share) return share
  throw new ToolError('POSITION_NOT_FOUND', 'The owner holds no share of this pair.', {
    details: [{ field: 'positionId', message: 'no share of this pair' }],
  })
}
