import {
  type Amounts,
  getAmountsForLiquidity,
  getNextSqrtPriceFromInput,
  getSqrtPriceAtTick,
  LpMathError,
  type TickRange,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { KeptDeposit } from '../../intent.ts'
import type { Liquidity, Pool, Position, Quote, Token, Version } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/**
 * How much of what is at hand to swap so that what is left fits a range of a pool: first at the price of the pool, then at that of a
 * quote. Where a plan is carried out no more than that swaps, through its router. Throws what `quote` throws.
 */
export async function quoteToRatio(
  ports: { readonly liquidity: Pick<Liquidity, 'quote'> },
  chain: Chain,
  given: GivenForRatio,
): Promise<ToRatio> {
  const { pool, ticks, atHand: whole } = given
  let after = pool.sqrtPriceX96
  let rate = { amountIn: 1n << 96n, amountOut: 0n }
  let found: ToRatio | null = null
  for (let turn = 0; turn < 2; turn += 1) {
    const shape = getAmountsForLiquidity(
      after,
      getSqrtPriceAtTick(ticks.tickLower),
      getSqrtPriceAtTick(ticks.tickUpper),
      shapeLiquidity,
      true,
    )
    const zeroForOne = whole.amount0 * shape.amount1 > whole.amount1 * shape.amount0
    if (found === null) rate = poolRate(pool.sqrtPriceX96, zeroForOne)
    const wanted = excess(whole, shape, zeroForOne, rate)
    const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
    const { most = wanted, ...through } = keptSwap(chain, given.kept?.plan, tokenIn) ?? {}
    const amountIn = wanted < most ? wanted : most
    const quote = await ports.liquidity.quote(chain, { tokenIn, tokenOut, amountIn, ...through }).catch(noSwap)
    after = priceAfter(given, quote, zeroForOne)
    rate = quote
    found = { quote, zeroForOne, sqrtPriceX96: after }
  }
  if (found === null) throw new TypeError('at least one quote is asked for')
  return found
}

/** Nobody asked for this trade, so there is no argument of it to correct. */
function noSwap(error: unknown): never {
  if (!(error instanceof ToolError) || error.code !== 'POOL_NOT_FOUND') throw error
  const { message, cause, details } = error
  throw new ToolError('POOL_NOT_FOUND', `What is at hand does not fit the range unless a part is swapped. ${message}`, {
    cause,
    details: details.map(({ field: _field, accepted: _accepted, ...rest }) => rest),
    suggestion:
      'Choose a range that what is at hand fits, or take the liquidity out (remove_liquidity), trade elsewhere, and deposit both tokens (add_liquidity).',
  })
}

export type GivenForRatio = {
  readonly pool: Pool
  readonly ticks: TickRange
  /** In the pool's order. */
  readonly atHand: Amounts
  /** A position whose liquidity is taken out before the swap; `null` where it stays. */
  readonly without: Pick<Position, 'tickLower' | 'tickUpper' | 'liquidity'> | null
  /** Of the plan that is carried out. */
  readonly kept: KeptDeposit | undefined
}

export type ToRatio = {
  readonly quote: Quote
  readonly zeroForOne: boolean
  /** Of the pool after the swap, as far as it goes through it. */
  readonly sqrtPriceX96: bigint
}

/** The version through whose router a plan swaps a token, and how much it lets that take; `null` where it swaps none of it. */
function keptSwap(
  { amm }: Chain,
  plan: KeptDeposit['plan'],
  { address, isNative }: Token,
): { readonly versions: readonly Version[]; readonly most: bigint } | null {
  const routers = { v2: amm.v2?.router, v3: amm.v3?.swapRouter02, v4: amm.universalRouter?.address }
  for (const version of ['v2', 'v3', 'v4'] as const) {
    const paid = plan?.calls.filter(({ to }) => to === routers[version]).map(({ valueWei }) => valueWei) ?? []
    const allowed = plan?.approvals.filter(({ token, spender }) => token === address && spender === routers[version])
    const amounts = isNative ? paid : (allowed ?? []).map(({ amount }) => amount)
    const most = amounts.reduce((sum, amount) => sum + amount, 0n)
    if (most > 0n) return { versions: [version], most }
  }
  return null
}

/** Amounts of a range have the same ratio for any liquidity; of this one they have digits enough. */
const shapeLiquidity = 1n << 100n

/** What one unit of the token that goes in buys at the pool's price, as a fraction. */
function poolRate(sqrtPriceX96: bigint, zeroForOne: boolean): Pick<Quote, 'amountIn' | 'amountOut'> {
  const [one, other] = [1n << 192n, sqrtPriceX96 * sqrtPriceX96]
  return zeroForOne ? { amountIn: one, amountOut: other } : { amountIn: other, amountOut: one }
}

/**
 * How much of the side that is too much must be swapped at a rate (out for in) so that both sides are in the ratio of `shape`:
 * with a and b at hand, u and v in the shape, x = (a v - b u) / (v + u out/in). At least one unit.
 */
function excess(
  whole: Amounts,
  shape: Amounts,
  zeroForOne: boolean,
  { amountIn, amountOut }: Pick<Quote, 'amountIn' | 'amountOut'>,
): bigint {
  const [a, b] = zeroForOne ? [whole.amount0, whole.amount1] : [whole.amount1, whole.amount0]
  const [u, v] = zeroForOne ? [shape.amount0, shape.amount1] : [shape.amount1, shape.amount0]
  const below = v * amountIn + u * amountOut
  const swapped = below === 0n ? 0n : ((a * v - b * u) * amountIn) / below
  return swapped > 0n ? swapped : 1n
}

/** Where the swap goes through the pool itself, whose liquidity may lack a position by then. */
function priceAfter({ pool, without }: GivenForRatio, quote: Quote, zeroForOne: boolean): bigint {
  const [hop, ...more] = quote.route
  if (hop === undefined || more.length > 0 || hop.pool.id !== pool.id) return pool.sqrtPriceX96
  const isInRange = without !== null && without.tickLower <= pool.tick && pool.tick < without.tickUpper
  const left = pool.liquidity - (isInRange ? without.liquidity : 0n)
  const paid = (quote.amountIn * BigInt(1_000_000 - pool.fee)) / 1_000_000n
  try {
    return getNextSqrtPriceFromInput(pool.sqrtPriceX96, left, paid, zeroForOne)
  } catch (error) {
    if (error instanceof LpMathError) return pool.sqrtPriceX96
    throw error
  }
}
