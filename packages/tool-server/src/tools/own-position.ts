import type { Chain } from '@svc/wallet/core'
import { isAddressEqual } from 'viem'
import { type Position, ToolError } from '@svc/amm'
import type { WriteContext } from '../tool.ts'

/**
 * A position of the agent wallet. Ids of v3 and v4 are counted apart, so where the wallet holds the id in the other version
 * only, the error says so.
 *
 * @throws ToolError `POSITION_NOT_OWNED` when it belongs to somebody else, `POSITION_NOT_FOUND`, and as the read does.
 */
export async function ownPosition(
  chain: Chain,
  { version, positionId }: PositionKey,
  context: OwnPositionContext,
): Promise<Position> {
  const owned = await readOwned(chain, { version, positionId }, context)
  if (!(owned instanceof ToolError)) return owned
  const other = version === 'v3' ? 'v4' : 'v3'
  const inOther = await readOwned(chain, { version: other, positionId }, context).catch(() => null)
  if (inOther === null || inOther instanceof ToolError) throw owned
  throw new ToolError(owned.code, `${owned.message} The agent wallet holds the ${other} position ${positionId}.`, {
    suggestion: `Call again with version ${other}.`,
    details: [{ field: 'version', message: 'The id is of the other version.', accepted: other }],
  })
}

type PositionKey = { readonly version: 'v3' | 'v4'; readonly positionId: string }

type OwnPositionContext = Pick<WriteContext, 'liquidity' | 'wallet'>

/** Answers the error, instead of throwing it, where the wallet does not hold the position. */
async function readOwned(
  chain: Chain,
  { version, positionId }: PositionKey,
  { liquidity, wallet }: OwnPositionContext,
): Promise<Position | ToolError> {
  try {
    const position = await liquidity.position(chain, version, positionId)
    if (isAddressEqual(position.owner, wallet.address)) return position
    return new ToolError('POSITION_NOT_OWNED', `The ${version} position ${positionId} belongs to ${position.owner}.`)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'POSITION_NOT_FOUND') return error
    throw error
  }
}
