import { type Amounts, burnAmountsWithSlippage, getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Address } from 'viem'
import type { Position } from '../../../ports.ts'
import { refuseTooSmall } from './refuse-too-small.ts'
import { shareOf } from './share-of.ts'

/**
 * What taking a percentage out of a v3 or v4 position comes to at the pool's state: the liquidity, the principal it pays
 * out now, and the least it must pay at the worst price within the slippage.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when nothing would be paid out.
 */
export function fitRemoval(position: Position, request: RemoveRequest): FittedRemoval {
  const liquidity = shareOf(position.liquidity, request.percentage)
  if (position.liquidity === 0n) {
    throw refuseTooSmall('positionId', 'The position holds no liquidity; collect_fees takes out what it is still owed.')
  }
  if (liquidity === 0n)
    throw refuseTooSmall('percentage', 'This part of the position is less than one unit of liquidity.')
  const bounds = {
    sqrtPriceX96: position.pool.sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(position.tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(position.tickUpper),
  }
  const principal = getAmountsForLiquidity(
    bounds.sqrtPriceX96,
    bounds.sqrtPriceAX96,
    bounds.sqrtPriceBX96,
    liquidity,
    false,
  )
  if (principal.amount0 === 0n && principal.amount1 === 0n) {
    throw refuseTooSmall('percentage', 'This part of the position pays out less than one unit of either token.')
  }
  return {
    liquidity,
    principal,
    least: burnAmountsWithSlippage({ ...bounds, liquidity, slippageBps: request.slippageBps }),
  }
}

export type RemoveRequest = {
  readonly percentage: number
  readonly collectFees: boolean
  readonly slippageBps: number
  readonly deadline: number
  readonly recipient: Address
}

export type FittedRemoval = { readonly liquidity: bigint; readonly principal: Amounts; readonly least: Amounts }
