import type { Intent } from '@svc/amm'
import type { Refusal } from '../call/refusal.ts'
import type { PoolAfter } from '../simulation/inspection.ts'
import type { Moved } from './moved.ts'
import { simulatedDeposit } from './simulated-deposit.ts'
import { type TrustedPrices, trustedSqrtPriceBand } from './trusted-value.ts'
import type { ValueBounds } from './value-refusals.ts'
import type { CallBounds, OrderBounds } from '../calldata/call-bounds.ts'

/**
 * Refuses a deposit into a pool whose price is off the trusted one by more than the policy allows beside the bands of both
 * tokens, a new pool among them: whoever brings it back takes the difference. A new pool of a token without a trusted price
 * is opened only where the caller says so.
 */
export function offMarketRefusals({ moved, prices, limits, intent, symbolOf }: DepositPrices): readonly Refusal[] {
  const deposits = moved.calls.flatMap((call) => call.deposits)
  return deposits.flatMap((bounds): readonly Refusal[] => {
    const { state: pool } = simulatedDeposit(bounds, moved)
    if (pool === null) return []
    const trusted = trustedSqrtPriceBand(pool.token0, pool.token1, prices)
    if (trusted === null) return pool.stoodBefore || intent.allowsUnpricedPool === true ? [] : [refuseOpening()]
    const declared = intent.deposits?.find((deposit) => deposit.pool.toLowerCase() === pool.id.toLowerCase())
    const order = { symbolOf, isInverted: declared?.isInverted ?? false }
    return offMarket(pool, trusted, limits, { ...order, what: 'a deposit is made' })
  })
}

/** Refuses what is done in a pool whose price is outside the trusted band by more than the policy allows. */
export function offMarket(
  pool: PoolAfter,
  trusted: { readonly low: bigint; readonly high: bigint },
  limits: Pick<ValueBounds, 'maxPoolDeviationBps'>,
  said: Said,
): readonly Refusal[] {
  const square = priceSquareOf(pool)
  if (square === null) return []
  const allowed = BigInt(limits.maxPoolDeviationBps)
  const isAbove = square * 10_000n > trusted.high ** 2n * (10_000n + allowed)
  const isBelow = square * (10_000n + allowed) < trusted.low ** 2n * 10_000n
  return isAbove || isBelow ? [refuseOffMarket(pool, square, trusted, { ...limits, ...said })] : []
}

export type DepositPrices = {
  readonly moved: Moved
  readonly prices: TrustedPrices
  readonly limits: ValueBounds
  readonly intent: Pick<Intent, 'allowsUnpricedPool' | 'deposits'>
  readonly symbolOf: Said['symbolOf']
}

/** How the distance from the market is put into words. */
export type Said = {
  readonly what: string
  /** Of the address of a token. */
  readonly symbolOf: (token: string) => string
  /** Whether the caller names the tokens in the other order than the pool. */
  readonly isInverted: boolean
}

/**
 * Refuses an order to be sold over time unless both of its tokens have a price of named sources that remember an earlier one, its
 * pool stands near that price, and the pool could take all of it at once. A pool that was pushed the right way would pass for deep
 * enough until it comes back.
 */
export function orderRefusals({ moved, prices, limits, symbolOf }: OrderPrices): readonly Refusal[] {
  return moved.calls
    .flatMap(({ orders }) => orders)
    .flatMap((order): readonly Refusal[] => {
      const doubtful = [order.tokenIn, order.tokenOut].filter((token) => (prices(token)?.basis ?? 'cold') === 'cold')
      const trusted = trustedSqrtPriceBand(order.pool.token0, order.pool.token1, prices)
      if (doubtful.length > 0 || trusted === null) return [refuseUntrusted(doubtful)]
      const state = moved.inspected.pools.find(({ id }) => id.toLowerCase() === order.pool.id.toLowerCase())
      const brings = moved.inspected.orders.find((one) => one.order === order)?.brings ?? null
      if (state === undefined || brings === null) return [refuseShallow(order)]
      const isInverted = order.tokenIn.toLowerCase() !== order.pool.token0.toLowerCase()
      return offMarket(state, trusted, limits, { symbolOf, isInverted, what: 'an order is placed' })
    })
}

/** What a person should know of a call that places one. */
export function orderWarnings(calls: readonly Pick<CallBounds, 'orders'>[]): readonly string[] {
  if (calls.every(({ orders }) => orders.length === 0)) return []
  return [
    'An order is sold over time, at whatever its pool pays by then: the worth shown is that of a sale now. Cancelling it gives back what is not sold. It sells a whole number of units a second, so that a little less than is named may leave.',
  ]
}

/** The price of token1 per token0 in smallest units, times 2^192. */
function priceSquareOf({ sqrtPriceX96, pair }: PoolAfter): bigint | null {
  if (sqrtPriceX96 !== null) return sqrtPriceX96 ** 2n
  return pair === null || pair.reserve0 === 0n ? null : (pair.reserve1 << 192n) / pair.reserve0
}

function refuseOpening(): Refusal {
  return {
    code: 'POOL_PRICE_OFF_MARKET',
    message:
      'No named source tells what a token of this new pool is worth, so the price it would open at cannot be held against the market.',
    details: [
      { field: 'createPool', message: 'Accepted: true, to open the pool at the price of the amounts all the same' },
    ],
    suggestion: 'Check both amounts and say createPool: true, or use a pool that stands (get_pools_by_token_pair).',
  }
}

function refuseOffMarket(
  pool: PoolAfter,
  square: bigint,
  trusted: { readonly low: bigint; readonly high: bigint },
  { maxPoolDeviationBps, what, symbolOf, isInverted }: Pick<ValueBounds, 'maxPoolDeviationBps'> & Said,
): Refusal {
  const bps = (part: bigint, whole: bigint) => Number((part * 10_000n) / whole) - 10_000
  const isAbove = square > trusted.high ** 2n
  const ofPoolBps = isAbove ? bps(square, trusted.high ** 2n) : -bps(trusted.low ** 2n, square)
  // Both directions are measured from the smaller price, so the other order has the other sign.
  const offBps = isInverted ? -ofPoolBps : ofPoolBps
  // Said of the one that is higher: in percent of the smaller price, one may be more than a hundred above, never below.
  const [higher, lower] = offBps > 0 ? ['pool', 'market'] : ['market', 'pool']
  const [one, other] = [symbolOf(pool.token0), symbolOf(pool.token1)]
  const order = isInverted ? `${one} per ${other}` : `${other} per ${one}`
  return {
    code: 'POOL_PRICE_OFF_MARKET',
    message: `The ${higher} stands ${Math.abs(offBps)} bps above the ${lower} in ${order}; ${what} within ${maxPoolDeviationBps} bps of the market.`,
    details: [
      {
        message: order,
        pool: pool.id,
        deviationBps: offBps,
        maxPoolDeviationBps,
      },
    ],
  }
}

type OrderPrices = {
  readonly moved: Pick<Moved, 'calls' | 'inspected'>
  readonly prices: TrustedPrices
  readonly limits: Pick<ValueBounds, 'maxPoolDeviationBps'>
  readonly symbolOf: Said['symbolOf']
}

function refuseUntrusted(tokens: readonly string[]): Refusal {
  return {
    code: 'PRICE_UNAVAILABLE',
    message: 'An order is sold at prices to come, so both of its tokens must have a trusted price with a past.',
    details: tokens.map((token) => ({ message: 'no trusted price with a past', token })),
    suggestion: 'Sell with execute_swap, or have the operator name price sources for the token (svc policy add-token).',
  }
}

function refuseShallow({ pool }: OrderBounds): Refusal {
  return {
    code: 'INSUFFICIENT_LIQUIDITY',
    message: 'The pool of the order could not take all of it at once, which is what an order is held to.',
    details: [{ message: 'the pool', pool: pool.id }],
    suggestion: 'Order a smaller amount, or sell with execute_swap through other pools.',
  }
}
