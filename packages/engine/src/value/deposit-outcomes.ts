import {
  getAmountsForLiquidity,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  integerSqrt,
  LpMathError,
} from '@svc/lp-math'
import type { Pair, Ticks } from './deposit-bounds.ts'

/** What a deposit pays and becomes, in the pool's order; `liquidity` is shares in a v2 pair, up to a factor. */
export type DepositOutcome = Pair & { readonly liquidity: bigint }

/**
 * The outcome at the price of the pool, and those at the two edges of the prices at which a deposit into a range may still be
 * mined: where one of its minimums is just met (v3, liquidity follows from the amounts), or one of its maximums (v4,
 * liquidity is fixed), else where the range ends. Between them an outcome is never worse than at the worse of both, since
 * what a range is worth is concave in the price it was entered at.
 *
 * @param sqrtPriceX96 price of the pool that the deposit was simulated at
 */
export function rangeOutcomes(deposit: RangeDeposit, sqrtPriceX96: bigint): readonly DepositOutcome[] {
  const { lower, upper } = endsOf(deposit.ticks)
  const at = (price: bigint): DepositOutcome => rangeOutcomeAt(deposit, price)
  const isPermitted = (price: bigint): boolean => {
    const { amount0, amount1, liquidity } = at(price)
    const { most, least } = deposit
    const isEnough = amount0 >= least.amount0 && amount1 >= least.amount1
    return liquidity > 0n && isEnough && amount0 <= most.amount0 && amount1 <= most.amount1
  }
  const start = sqrtPriceX96 < lower ? lower : sqrtPriceX96 > upper ? upper : sqrtPriceX96
  return [at(start), at(furthest(start, lower, isPermitted)), at(furthest(start, upper, isPermitted))]
}

export type RangeDeposit = {
  readonly ticks: Ticks
  /** What v4 fixes; `null` where it follows from the amounts. */
  readonly liquidity: bigint | null
  readonly most: Pair
  readonly least: Pair
}

/** The two outcomes of a deposit into a v2 pair in which one side is paid in full and the other at its minimum. */
export function pairOutcomes({ most, least }: Pick<RangeDeposit, 'most' | 'least'>): readonly DepositOutcome[] {
  const outcome = (amount0: bigint, amount1: bigint): DepositOutcome => {
    return { amount0, amount1, liquidity: integerSqrt(amount0 * amount1) }
  }
  return [outcome(most.amount0, least.amount1), outcome(least.amount0, most.amount1)]
}

/**
 * What a deposit into a range pays and becomes at a price of its pool, whatever its limits say. All zero where the contract would
 * revert: next to an edge, amounts may make more liquidity than fits 128 bits.
 */
export function rangeOutcomeAt(
  { liquidity: fixed, most, ticks }: Pick<RangeDeposit, 'liquidity' | 'most' | 'ticks'>,
  price: bigint,
): DepositOutcome {
  const { lower, upper } = endsOf(ticks)
  try {
    const liquidity = fixed ?? getLiquidityForAmounts(price, lower, upper, most.amount0, most.amount1)
    return { ...getAmountsForLiquidity(price, lower, upper, liquidity, false), liquidity }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    return { amount0: 0n, amount1: 0n, liquidity: 0n }
  }
}

function endsOf({ tickLower, tickUpper }: Ticks): { readonly lower: bigint; readonly upper: bigint } {
  return { lower: getSqrtPriceAtTick(tickLower), upper: getSqrtPriceAtTick(tickUpper) }
}

/**
 * The furthest price from `start` towards `end` that is permitted. It halves the ratio of both ends, not their distance: the upper
 * end of a wide range is so far away that halves of the distance would never come near `start`.
 */
function furthest(start: bigint, end: bigint, isPermitted: (price: bigint) => boolean): bigint {
  if (isPermitted(end)) return end
  let [near, far] = [start, end]
  for (let halving = 0; halving < halvings; halving += 1) {
    const middle = integerSqrt(near * far)
    if (isPermitted(middle)) near = middle
    else far = middle
  }
  return near
}

/** They leave a hundred-thousandth of the price at most: all ticks together are 128 doublings. */
const halvings = 24
