import { type Address, type Hex, isAddressEqual } from 'viem'
import type { Pool, Quote, SwapRequest, Token } from '../../ports.ts'
import type { Chain } from '@svc/wallet/core'
import type { Intent, IntentApproval } from '../../intent.ts'
import { describeAmounts, planPayment, routineIntent } from './plan-payment.ts'
import { segmentsOf } from '../quotes/route-query.ts'

/** The intent of a swap through one router call. */
export function swapIntent(
  chain: Chain,
  quote: Quote,
  request: SwapRequest,
  call: {
    readonly router: Address
    readonly data: Hex
    readonly least: bigint
    /** Of what goes in; the quoted amount where that is exact. */
    readonly most?: bigint
    readonly via: IntentApproval['via']
    readonly atomicity: 'single' | 'multicall'
  },
): Intent {
  const paid = [{ token: request.tokenIn, amount: call.most ?? quote.amountIn }]
  const received = [{ token: request.tokenOut, amount: quote.amountOut }]
  const { listed, isNative } = request.tokenOut
  const isKnown = listed || isNative
  const sold = [{ token: request.tokenIn, amount: quote.amountIn }]
  const traded =
    quote.isExactOut === true
      ? `Swap about ${describeAmounts(sold, 'nearest')}, at most ${describeAmounts(paid, 'exact')}, for exactly ${describeAmounts(received, 'exact')}`
      : `Swap ${describeAmounts(paid, 'exact')} for about ${describeAmounts(received, 'nearest')}`
  const { valueWei, ...payment } = planPayment(paid, call.router, call.via)
  return routineIntent(chain, {
    calls: [{ to: call.router, data: call.data, valueWei, label: 'swap' }],
    atomicity: call.atomicity,
    ...payment,
    receives: [{ token: request.tokenOut.address, amount: call.least }],
    slippageBps: request.slippageBps,
    deadline: request.deadline,
    recipients: [request.recipient],
    why: `${traded} through ${versionsOf(quote)}${isKnown ? '' : ', less any fee that the token takes of transfers: deltas say what arrives'}.`,
  })
}

/** What a trade goes through: the versions of its route in their order, each said once where it follows itself, or how many routes of which versions share it. */
function versionsOf({ route, parts = [] }: Pick<Quote, 'route' | 'parts'>): string {
  const inOrder = segmentsOf(route).map(({ version }) => version)
  if (parts.length < 2) return inOrder.filter((version, index) => version !== inOrder[index - 1]).join(', then ')
  const versions = new Set(parts.flatMap((part) => part.route.map(({ pool }) => pool.version)))
  return `${parts.length} routes of ${[...versions].join(' and ')}`
}

/**
 * The tokens that a route passes through as its pools hold them, one more than pools: from the one that goes in to the one
 * that comes out.
 *
 * @throws TypeError when two neighbouring pools share no token: such a route was not made by `quote`.
 */
export function followRoute(route: Quote['route'], tokenIn: Token): readonly [Token, ...Token[]] {
  const passed: [Token, ...Token[]] = [tokenIn]
  for (const { pool } of route) {
    const last = passed.at(-1) ?? tokenIn
    passed.push(otherSide(pool, last))
  }
  return passed
}

/** The first and the last pool of a route, and what goes into the one and comes out of the other. */
export function routeEnds({ route }: Quote, path: readonly [Token, ...Token[]]) {
  const [tokenIn] = path
  const first = route[0]
  const last = route.at(-1)
  if (!first || !last) throw new TypeError('a route has at least one pool')
  return { tokenIn, tokenOut: path.at(-1) ?? tokenIn, first: first.pool, last: last.pool }
}

function otherSide(pool: Pool, token: Token): Token {
  if (isAddressEqual(pool.token0.address, token.address)) return pool.token1
  if (isAddressEqual(pool.token1.address, token.address)) return pool.token0
  throw new TypeError(`pool ${pool.id} does not hold ${token.address}`)
}
