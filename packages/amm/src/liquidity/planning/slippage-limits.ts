import type { Quote, SwapRequest } from '../../ports.ts'
import { keptLeast, keptMost } from './deposit/require-kept.ts'
import { refuseTooSmall } from './refusals.ts'
import { type Amounts, maxAmountsWithSlippage, mintAmountsWithSlippage } from '@svc/lp-math'
import type { KeptDeposit } from '../../intent.ts'
import type { RangeBounds } from './deposit/fit-amounts.ts'

/**
 * The least that a v3 deposit of this liquidity must take: as the slippage from the present price allows and, where a plan
 * is carried out, as that from the plan's price does, so that no block takes it at a price that was not shown.
 */
export function leastOfMint({ bounds, kept, ...deposit }: LimitedDeposit): Amounts {
  const least = mintAmountsWithSlippage({ ...bounds, ...deposit })
  if (kept === undefined) return least
  const { slippageBps, deposit: planned } = kept
  const { sqrtPriceX96 } = planned
  return eachOf(greater, least, mintAmountsWithSlippage({ ...bounds, ...deposit, sqrtPriceX96, slippageBps }))
}

/** The most that a v4 deposit of this liquidity may take, by the same two. */
export function mostOfMint({ bounds, kept, ...deposit }: LimitedDeposit): Amounts {
  const most = maxAmountsWithSlippage({ ...bounds, ...deposit })
  if (kept === undefined) return most
  const { slippageBps, deposit: planned } = kept
  const { sqrtPriceX96 } = planned
  return eachOf(lesser, most, maxAmountsWithSlippage({ ...bounds, ...deposit, sqrtPriceX96, slippageBps }))
}

export type LimitedDeposit = {
  readonly bounds: RangeBounds
  readonly liquidity: bigint
  readonly slippageBps: number
  readonly kept: KeptDeposit | undefined
}

/** The least that a v2 deposit must take of each amount, in the pool's order, by the same two. */
export function leastOfPair(taken: Amounts, slippageBps: number, kept: KeptDeposit | undefined): Amounts {
  const least = lessOf(taken, slippageBps)
  return kept === undefined ? least : eachOf(greater, least, lessOf(kept.deposit, kept.slippageBps))
}

function lessOf({ amount0, amount1 }: Amounts, slippageBps: number): Amounts {
  return { amount0: lessSlippage(amount0, slippageBps), amount1: lessSlippage(amount1, slippageBps) }
}

function eachOf(choose: (one: bigint, other: bigint) => bigint, one: Amounts, other: Amounts): Amounts {
  return { amount0: choose(one.amount0, other.amount0), amount1: choose(one.amount1, other.amount1) }
}

function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** The least of an expected amount (smallest units) that is still acceptable, rounded down. */
export function lessSlippage(amount: bigint, slippageBps: number): bigint {
  return (amount * BigInt(10_000 - slippageBps)) / 10_000n
}

/** The most of an expected amount (smallest units) that is still acceptable, rounded down. */
export function withSlippage(amount: bigint, slippageBps: number): bigint {
  return (amount * BigInt(10_000 + slippageBps)) / 10_000n
}

/**
 * What a swap must give and what it may take. Of an exact input the least is the quoted output less the slippage, never zero, because a
 * minimum of zero lets anybody take the whole output. Of an exact output the most is the quoted input and the slippage. Of a plan that is
 * carried out never less, or more, than that says.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when less than one unit would remain, `SIMULATION_DRIFT` when the plan says otherwise.
 */
export function swapLimits(quote: Quote, request: LimitedSwap): SwapLimits {
  const { slippageBps, tokenIn, tokenOut, keptReceipts, keptSpends } = request
  const isExactOut = quote.isExactOut === true
  const least = isExactOut ? quote.amountOut : lessSlippage(quote.amountOut, slippageBps)
  if (quote.amountIn <= 0n || least <= 0n) {
    throw refuseTooSmall('amount', 'What this amount gives is less than one unit of the other token.')
  }
  const most = isExactOut ? withSlippage(quote.amountIn, slippageBps) : quote.amountIn
  return {
    least: keptLeast(keptReceipts, tokenOut.address, { least, now: quote.amountOut }),
    most: isExactOut ? keptMost(keptSpends, tokenIn.address, { most, now: quote.amountIn }) : most,
  }
}

type LimitedSwap = Pick<SwapRequest, 'slippageBps' | 'tokenIn' | 'tokenOut' | 'keptReceipts' | 'keptSpends'>

/** The least that a swap gives, and the most that it takes. */
export type SwapLimits = { readonly least: bigint; readonly most: bigint }
