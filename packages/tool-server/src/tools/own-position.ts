import type { Chain } from '@svc/wallet/core'
import { isAddressEqual } from 'viem'
import { type Position, type Token, tokenLabel, ToolError } from '@svc/amm'
import type { WriteContext } from '../tool.ts'
import { invalidField } from './params.ts'

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

/**
 * Whether a token is the pool's second. In v3 the native currency stands for its wrapped token. Throws `VALIDATION_FAILED`
 * where the position is of another pair.
 */
export function isSecondToken(token: Token, { pool, version }: Position, wrapped: Token): boolean {
  const { address } = token.isNative && version === 'v3' ? wrapped : token
  if (address === pool.token0.address) return false
  if (address === pool.token1.address) return true
  const accepted = [pool.token0, pool.token1].map(tokenLabel).join(' or ')
  throw invalidField('token0', 'This position is of other tokens.', accepted)
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
