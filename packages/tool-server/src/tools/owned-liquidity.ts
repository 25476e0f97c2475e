import type { Chain } from '@svc/wallet/core'
import { isAddress } from 'viem'
import * as z from 'zod'
import { type Alongside, type PairShare, type Position, ToolError } from '@svc/amm'
import { refuseClosed } from '@svc/amm/liquidity'
import type { WriteContext } from '../tool-context.ts'
import { ownPosition } from './own-position.ts'
import { anyVersionInput, deadlineInput, exitSlippageInput, isPositionId, numberWithin } from './params.ts'

/** What a removal is asked for with, beside position and chain: by itself, and inside a batch. */
export const removeParams = {
  percentage: numberWithin(1, 100, 'a number from 1 to 100').default(100),
  version: anyVersionInput.default('v3'),
  collectFees: z.boolean().default(true),
  slippageBps: exitSlippageInput,
  deadlineSeconds: deadlineInput,
}

/** What is wrong with the id of what is taken out of; `null` where nothing is. */
export function removableIdProblem({ positionId, version }: RemovableKey): string | null {
  const isRight = version === 'v2' ? isAddress(positionId) : isPositionId(positionId)
  if (isRight) return null
  if (version === 'v2') return 'Accepted: the address of the pair'
  const accepted = `Accepted: the decimal id of a ${version} position`
  return isAddress(positionId)
    ? `${accepted}. For shares of the pair at this address call again with version v2`
    : accepted
}

/** The position, or the shares of a pair. Throws `POSITION_NOT_FOUND`, `POSITION_NOT_OWNED`, `VALIDATION_FAILED`. */
export async function ownedLiquidity(
  chain: Chain,
  { positionId, version }: RemovableKey,
  context: Pick<WriteContext, 'liquidity' | 'wallet'>,
  alongside?: Alongside,
): Promise<Position | PairShare> {
  if (version !== 'v2') {
    const position = await ownPosition(chain, { version, positionId }, context, alongside)
    if (position.liquidity === 0n) throw refuseClosed(position)
    return position
  }
  if (!isAddress(positionId)) throw new TypeError('the schema lets only addresses through')
  const share = await context.liquidity.pairShare(chain, positionId, context.wallet.address, alongside)
  if (share.shares === 0n) throw new ToolError('POSITION_NOT_FOUND', 'The agent wallet holds no shares of this pair.')
  return share
}

type RemovableKey = { readonly positionId: string; readonly version: 'v2' | 'v3' | 'v4' }
