import { getTickAtSqrtPrice, LpMathError, sqrtPriceFromAmounts, priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool, Token, TokenDirectory, Version } from '../../../ports.ts'
import type { AmountFields } from './fit-amounts.ts'
import { refuseField } from '../refusals.ts'
import type { Chain } from '@svc/wallet/core'

/**
 * The sqrt price (Q64.96) at which a missing pool is created: that of the two amounts, given in the pool's order.
 *
 * @throws ToolError `VALIDATION_FAILED` when one of them is missing or zero, or no pool can have their price.
 */
export function openingPrice(
  amounts: { readonly amount0: bigint | null; readonly amount1: bigint | null },
  fields: AmountFields,
): bigint {
  const amount0 = requireForPrice(amounts.amount0, fields.amount0)
  const amount1 = requireForPrice(amounts.amount1, fields.amount1)
  try {
    return sqrtPriceFromAmounts({ amount0, amount1 })
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseField('amount1', 'No pool can have the price of these amounts.', 'amounts of closer value')
  }
}

function requireForPrice(amount: bigint | null, field: string): bigint {
  if (amount !== null && amount > 0n) return amount
  throw refuseField(
    field,
    'This pool does not exist yet and is created at the price of the two amounts.',
    'both amounts above 0, or the fee of a pool that exists',
  )
}

/** A pool as a deposit would create it: at a price, and empty. */
export function poolToCome(
  pair: OrderedPair,
  facts: Pick<Pool, 'version' | 'id' | 'fee' | 'tickSpacing' | 'hooks' | 'sqrtPriceX96' | 'blockNumber'>,
): Pool {
  const reserve = facts.version === 'v2' ? 0n : null
  const feeGrowth = facts.version === 'v2' ? null : 0n
  return {
    ...facts,
    token0: pair.token0,
    token1: pair.token1,
    tick: getTickAtSqrtPrice(facts.sqrtPriceX96),
    liquidity: 0n,
    reserve0: reserve,
    reserve1: reserve,
    feeGrowthGlobal0X128: feeGrowth,
    feeGrowthGlobal1X128: feeGrowth,
    protocolFee: 0,
  }
}

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
