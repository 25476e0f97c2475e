import { type Amounts, burnAmountsWithSlippage, getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Position, RemoveRequest } from '../../ports.ts'
import { keptLeastOfPair } from './slippage-limits.ts'
import { refuseTooSmall } from './refusals.ts'

/**
 * What taking a percentage out of a v3 or v4 position comes to at the pool's state: the liquidity, the principal it pays
 * out now, and the least it must pay at the worst price within the slippage (nothing at 10000 basis points); of a plan that is carried out never less than
 * that says, to which `fees` that come along count.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when nothing would be paid out, `SIMULATION_DRIFT` when the plan says more.
 */
export function fitRemoval(position: Position, request: RemoveRequest, fees: Amounts = noAmounts): FittedRemoval {
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
  const least =
    request.slippageBps === allSlippageBps
      ? noAmounts
      : burnAmountsWithSlippage({ ...bounds, liquidity, slippageBps: request.slippageBps })
  const paidOut = { least: plus(least, fees), now: plus(principal, fees) }
  const kept = keptLeastOfPair(request.keptReceipts, position.pool, paidOut)
  return {
    liquidity,
    principal,
    least: { amount0: kept.amount0 - fees.amount0, amount1: kept.amount1 - fees.amount1 },
  }
}

/** The part of `amount` that `percentage` (0 to 100, at most six decimals) stands for, rounded down; 100 is all of it. */
export function shareOf(amount: bigint, percentage: number): bigint {
  return (amount * BigInt(Math.round(percentage * 1_000_000))) / 100_000_000n
}

const noAmounts: Amounts = { amount0: 0n, amount1: 0n }

/** Any price is within it. */
const allSlippageBps = 10_000

function plus(one: Amounts, other: Amounts): Amounts {
  return { amount0: one.amount0 + other.amount0, amount1: one.amount1 + other.amount1 }
}

export type FittedRemoval = { readonly liquidity: bigint; readonly principal: Amounts; readonly least: Amounts }
