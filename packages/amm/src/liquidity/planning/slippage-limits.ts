import type { Quote, SwapRequest, Pool } from '../../ports.ts'
import { refuseTooSmall } from './refusals.ts'
import {
  type Amounts,
  maxAmountsWithSlippage,
  mintAmountsWithSlippage,
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  priceFromSqrtPrice,
  sqrtPricesAfterSlippage,
} from '@svc/lp-math'
import type { KeptDeposit, IntentDeposit, TokenQuantity } from '../../intent.ts'
import type { RangeBounds } from './deposit/fit-amounts.ts'
import { type ErrorDetail, ToolError } from '../../tool-error.ts'
import { type Address, isAddressEqual } from 'viem'

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

/**
 * Holds the pool in which a plan is carried out against the plan: the same pool, there or missing as it was, its price
 * within the plan's slippage and on the same side of the range. The engine asks all of it again and believes no planner;
 * asked here, a deposit that cannot even be planned any more is refused for what it is.
 *
 * @throws ToolError `SIMULATION_DRIFT` with what was planned and what is.
 */
export function requireKept(kept: KeptDeposit | undefined, now: { pool: Pool; createsPool: boolean }): void {
  if (kept === undefined) return
  const details = driftOf(kept, now)
  if (details.length === 0) return
  const message = 'The pool is not as it was when this was planned. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message, { details })
}

function driftOf(
  { deposit, slippageBps }: KeptDeposit,
  { pool, createsPool }: { readonly pool: Pool; readonly createsPool: boolean },
): readonly ErrorDetail[] {
  if (deposit.pool.toLowerCase() !== pool.id.toLowerCase()) {
    return [{ message: 'Differs: pool.', planned: deposit.pool, now: pool.id }]
  }
  if (deposit.createsPool !== createsPool) {
    const text = (creates: boolean) => (creates ? 'created with the deposit' : 'there already')
    return [{ message: 'Differs: pool.', planned: text(deposit.createsPool), now: text(createsPool) }]
  }
  const decimals = [pool.token0.decimals, pool.token1.decimals] as const
  const moved = priceDrift(deposit, pool.sqrtPriceX96, slippageBps, decimals)
  if (moved.length > 0) return moved
  const [planned, side] = [sideOf(deposit, deposit.sqrtPriceX96), sideOf(deposit, pool.sqrtPriceX96)]
  return planned === side ? [] : [{ message: 'The price has crossed an end of the range.', planned, now: side }]
}

/** On which side of the range a price lies: it decides of which tokens the deposit is made. */
function sideOf({ tickLower, tickUpper }: IntentDeposit, sqrtPriceX96: bigint): 'below' | 'within' | 'above' {
  if (tickLower !== null && sqrtPriceX96 <= getSqrtPriceAtTick(tickLower)) return 'below'
  return tickUpper !== null && sqrtPriceX96 >= getSqrtPriceAtTick(tickUpper) ? 'above' : 'within'
}

/** The amounts a request names, in the pool's order, none above those of the plan that is carried out. */
export function keptAmounts(kept: KeptDeposit | undefined, asked: AskedAmounts): AskedAmounts {
  if (kept === undefined) return asked
  const { amount0, amount1 } = kept.deposit
  return { amount0: lesserOf(asked.amount0, amount0), amount1: lesserOf(asked.amount1, amount1) }
}

type AskedAmounts = { amount0: bigint | null; amount1: bigint | null }

/** What was left to be matched is what the plan matched it with. */
function lesserOf(asked: bigint | null, planned: bigint): bigint {
  return asked === null || planned < asked ? planned : asked
}

/**
 * The least of a token that calldata must ask for. A call of its own takes `least`; one that carries out a stored plan also
 * asks for what that says must arrive (`kept`), so that no block gives less than what was shown to a person. `now` is what
 * would arrive at the present price.
 *
 * @throws ToolError `SIMULATION_DRIFT` when less would arrive now than the plan says.
 */
export function keptLeast(
  kept: readonly TokenQuantity[] | undefined,
  token: Address,
  { least, now }: { readonly least: bigint; readonly now: bigint },
): bigint {
  const planned = (kept ?? [])
    .filter((one) => isAddressEqual(one.token, token))
    .reduce((sum, { amount }) => sum + amount, 0n)
  if (planned > now) {
    throw new ToolError('SIMULATION_DRIFT', 'Less would arrive than what was planned. Nothing was signed.', {
      details: [{ message: 'Less would arrive than the plan says.', token, planned: `${planned}`, now: `${now}` }],
    })
  }
  return planned > least ? planned : least
}

/**
 * The most of a token that calldata may take: `most`, and where a stored plan is carried out no more than that says may leave. `now` is
 * what would leave at the present price.
 *
 * @throws ToolError `SIMULATION_DRIFT` when more would leave now than the plan says.
 */
export function keptMost(
  kept: readonly TokenQuantity[] | undefined,
  token: Address,
  { most, now }: { readonly most: bigint; readonly now: bigint },
): bigint {
  if (kept === undefined) return most
  const planned = kept.filter((one) => isAddressEqual(one.token, token)).reduce((sum, { amount }) => sum + amount, 0n)
  if (planned < now) {
    throw new ToolError('SIMULATION_DRIFT', 'More would leave than what was planned. Nothing was signed.', {
      details: [{ message: 'More would leave than the plan says.', token, planned: `${planned}`, now: `${now}` }],
    })
  }
  return planned < most ? planned : most
}

/** The same for both tokens of a pool, in its order. */
export function keptLeastOfPair(
  kept: readonly TokenQuantity[] | undefined,
  { token0, token1 }: Pick<Pool, 'token0' | 'token1'>,
  { least, now }: { readonly least: Amounts; readonly now: Amounts },
): Amounts {
  return {
    amount0: keptLeast(kept, token0.address, { least: least.amount0, now: now.amount0 }),
    amount1: keptLeast(kept, token1.address, { least: least.amount1, now: now.amount1 }),
  }
}

/**
 * The liquidity of a v4 plan that is carried out, and what it takes at the present price (rounded up): its calldata fixes the
 * liquidity, so the very one that was planned is deposited. `null` where no v4 plan is.
 */
export function keptLiquidity(
  kept: KeptDeposit | undefined,
  { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 }: RangeBounds,
): (Amounts & { liquidity: bigint }) | null {
  if (kept?.deposit.version !== 'v4') return null
  const { liquidity } = kept.deposit
  return { liquidity, ...getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, true) }
}

/**
 * What to say of a pool's price (sqrt, Q64.96; `null` where it has none) that lies beyond the slippage of the one at which
 * a deposit was planned; nothing where it lies within. Compared in integers; the prices beside it are for reading, in the
 * caller's order and in whole tokens, or in smallest units where the decimals are not known.
 */
export function priceDrift(
  planned: Pick<IntentDeposit, 'pool' | 'sqrtPriceX96' | 'isInverted'>,
  sqrtPriceX96: bigint | null,
  slippageBps: number,
  decimals: PairDecimals | null,
): readonly ErrorDetail[] {
  const { lower, upper } = sqrtPricesAfterSlippage(planned.sqrtPriceX96, slippageBps)
  if (sqrtPriceX96 !== null && lower <= sqrtPriceX96 && sqrtPriceX96 <= upper) return []
  const [before, now] = [planned.sqrtPriceX96, sqrtPriceX96].map(possiblePrice)
  const text = (price: bigint | null | undefined) =>
    price ? `${callerPriceOf(price, planned.isInverted, decimals ?? [0, 0])}` : 'none'
  return [
    {
      message: 'The price of the pool is beyond the slippage of what was planned.',
      pool: planned.pool,
      unit: decimals === null ? 'smallest units of token1 for one of token0' : 'token1 for one token0',
      planned: text(before),
      now: text(now),
      plannedTick: before ? getTickAtSqrtPrice(before) : null,
      nowTick: now ? getTickAtSqrtPrice(now) : null,
      slippageBps,
    },
  ]
}

/** `null` for what no pool can have as its price. */
function possiblePrice(sqrtPriceX96: bigint | null): bigint | null {
  const isPossible = sqrtPriceX96 !== null && MIN_SQRT_PRICE <= sqrtPriceX96 && sqrtPriceX96 < MAX_SQRT_PRICE
  return isPossible ? sqrtPriceX96 : null
}

/** Of the pool's token0 and token1. */
export type PairDecimals = readonly [number, number]

/** A price in whole tokens, the caller's token1 per token0, to six digits. */
export function callerPriceOf(sqrtPriceX96: bigint, isInverted: boolean, [decimals0, decimals1]: PairDecimals): number {
  const price = priceFromSqrtPrice(sqrtPriceX96, decimals0, decimals1)
  return Number((isInverted ? 1 / price : price).toPrecision(6))
}
