import { isAddressEqual } from 'viem'
import type { Pool, Quote, Token } from '../../ports.ts'

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

function otherSide(pool: Pool, token: Token): Token {
  if (isAddressEqual(pool.token0.address, token.address)) return pool.token1
  if (isAddressEqual(pool.token1.address, token.address)) return pool.token0
  throw new TypeError(`pool ${pool.id} does not hold ${token.address}`)
}
