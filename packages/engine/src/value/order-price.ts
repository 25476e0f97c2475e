import type { Refusal } from '../context/refusal.ts'
import { offMarket } from './deposit-price.ts'
import type { CallBounds } from './call-bounds.ts'
import type { Moved } from './moved.ts'
import type { OrderBounds } from './order-bounds.ts'
import { trustedSqrtPriceBand, type TrustedPrices } from './trusted-value.ts'
import type { ValueBounds } from './value-bounds.ts'

/**
 * Refuses an order to be sold over time unless both of its tokens have a price of named sources that remember an earlier one, its
 * pool stands near that price, and the pool could take all of it at once. A pool that was pushed the right way would pass for deep
 * enough until it comes back.
 */
export function orderRefusals({ moved, prices, limits }: OrderPrices): readonly Refusal[] {
  return moved.calls
    .flatMap(({ orders }) => orders)
    .flatMap((order): readonly Refusal[] => {
      const doubtful = [order.tokenIn, order.tokenOut].filter((token) => (prices(token)?.basis ?? 'cold') === 'cold')
      const trusted = trustedSqrtPriceBand(order.pool.token0, order.pool.token1, prices)
      if (doubtful.length > 0 || trusted === null) return [refuseUntrusted(doubtful)]
      const state = moved.inspected.pools.find(({ id }) => id.toLowerCase() === order.pool.id.toLowerCase())
      const brings = moved.inspected.orders.find((one) => one.order === order)?.brings ?? null
      if (state === undefined || brings === null) return [refuseShallow(order)]
      return offMarket(state, trusted, limits, 'an order is placed')
    })
}

/** What a person should know of a call that places one. */
export function orderWarnings(calls: readonly Pick<CallBounds, 'orders'>[]): readonly string[] {
  if (calls.every(({ orders }) => orders.length === 0)) return []
  return [
    'An order is sold over time, at whatever its pool pays by then: the worth shown is that of a sale now. Cancelling it gives back what is not sold.',
  ]
}

export type OrderPrices = {
  readonly moved: Pick<Moved, 'calls' | 'inspected'>
  readonly prices: TrustedPrices
  readonly limits: Pick<ValueBounds, 'maxPoolDeviationBps'>
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
