import type { Chain } from '@svc/wallet/core'
import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool, Token, TokenDirectory, Version } from '../../ports.ts'
import { refuseField } from './refusals.ts'
import type { AmountFields } from './deposit/fit-amounts.ts'

/**
 * Turns the caller's pair into the pool's: v2 and v3 hold the wrapped form of the native currency, v4 holds it itself,
 * and all sort by address. Throws `VALIDATION_FAILED` when both sides come to the same token.
 */
export function orderPair(
  tokens: Pick<TokenDirectory, 'wrapped'>,
  chain: Chain,
  version: Version,
  pair: { readonly token0: Token; readonly token1: Token },
): OrderedPair {
  const held = (token: Token) => (token.isNative && version !== 'v4' ? tokens.wrapped(chain) : token)
  const first = held(pair.token0)
  const second = held(pair.token1)
  if (BigInt(first.address) === BigInt(second.address)) {
    throw refuseField('token1', 'Both sides are the same token in a pool of this version.', 'a token other than token0')
  }
  const inverted = BigInt(first.address) > BigInt(second.address)
  return inverted
    ? { inverted, token0: second, token1: first, paid0: pair.token1, paid1: pair.token0 }
    : { inverted, token0: first, token1: second, paid0: pair.token0, paid1: pair.token1 }
}

export type OrderedPair = {
  /** True when the pool's token0 is the caller's token1. */
  readonly inverted: boolean
  /** As the pool holds them, in the pool's order. */
  readonly token0: Token
  readonly token1: Token
  /** As the wallet pays them, in the pool's order: the native currency stays native. */
  readonly paid0: Token
  readonly paid1: Token
}

/** Exchanges the two sides of amounts when the caller's order is not the pool's. Its own inverse. */
export function flip<Amount>(inverted: boolean, amounts: { amount0: Amount; amount1: Amount }): typeof amounts {
  return inverted ? { amount0: amounts.amount1, amount1: amounts.amount0 } : amounts
}

/** The pool's price in whole tokens, token1 per token0 in the caller's order. */
export function callerPrice(pool: Pool, inverted: boolean): number {
  const price = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
  return inverted ? 1 / price : price
}

/** What the caller calls the pool's amount0 and amount1. */
export function callerFields(inverted: boolean): AmountFields {
  return flip(inverted, { amount0: 'amount0', amount1: 'amount1' })
}
