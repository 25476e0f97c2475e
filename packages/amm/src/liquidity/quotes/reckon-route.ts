import type { Hop } from '../../ports.ts'
import type { Exact } from './route-query.ts'

/** Negative where one amount on the other side is better than another: more out, or less in. */
export function better({ side }: Pick<Exact, 'side'>, one: bigint, other: bigint): number {
  if (one === other) return 0
  return one > other === (side === 'in') ? -1 : 1
}

/**
 * What a route would give, or take, were the liquidity at its prices all there is, as in a pair of v2; `null` where that does not reach.
 * Right within a tick, and good enough to tell routes apart.
 */
export function reckon(hops: readonly Hop[], { side, amount }: Exact): bigint | null {
  const ordered = side === 'in' ? hops : hops.toReversed()
  let current = amount
  for (const hop of ordered) {
    const next = side === 'in' ? outOf(hop, current) : intoOf(hop, current)
    if (next === null || next <= 0n) return null
    current = next
  }
  return current
}

/** What a pool would give for an input. */
export function outOf(hop: Hop, amountIn: bigint): bigint | null {
  const { into, from } = reservesOf(hop)
  const paid = (amountIn * BigInt(1_000_000 - hop.pool.fee)) / 1_000_000n
  return into === 0n ? null : (from * paid) / (into + paid)
}

/** What a pool would take for an output; `null` where it does not hold so much. */
export function intoOf(hop: Hop, amountOut: bigint): bigint | null {
  const { into, from } = reservesOf(hop)
  const left = BigInt(1_000_000 - hop.pool.fee)
  if (amountOut >= from || left <= 0n) return null
  return (((into * amountOut) / (from - amountOut)) * 1_000_000n) / left + 1n
}

/** What a constant product of this liquidity at this price would hold of both sides. */
function reservesOf({ pool, tokenIn }: Hop): { readonly into: bigint; readonly from: bigint } {
  const reserve0 = (pool.liquidity << 96n) / pool.sqrtPriceX96
  const reserve1 = (pool.liquidity * pool.sqrtPriceX96) >> 96n
  return pool.token0.address === tokenIn.address
    ? { into: reserve0, from: reserve1 }
    : { into: reserve1, from: reserve0 }
}
