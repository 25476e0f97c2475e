import type { Chain } from '@svc/wallet/core'
import type { Position } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import type { ReadPorts } from '../read-ports.ts'
import { readV3Positions } from '../v3/read-positions.ts'
import { readV4Positions } from '../v4/read-positions.ts'
import { parsePositionId } from './parse-position-id.ts'

/** @throws ToolError `POSITION_NOT_FOUND`, `VALIDATION_FAILED`, `VERSION_NOT_DEPLOYED`, `RPC_*` */
export async function readPosition(
  ports: ReadPorts,
  chain: Chain,
  version: 'v3' | 'v4',
  positionId: string,
): Promise<Position> {
  const id = parsePositionId(positionId)
  requireDeployment(chain, version)
  const { number: blockNumber } = await ports.rpc.head(chain)
  const read = version === 'v3' ? readV3Positions : readV4Positions
  const [position] = await read(ports, chain, [id], blockNumber)
  if (position) return position
  throw new ToolError('POSITION_NOT_FOUND', `No ${version} position with this id stands on ${chain.name}.`, {
    details: [
      { field: 'positionId', message: 'unknown position', accepted: 'an id as get_positions_by_owner shows it' },
    ],
  })
}
