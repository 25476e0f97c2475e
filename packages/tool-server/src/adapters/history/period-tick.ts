import type { Pool } from '../../ports.ts'

/** The tick of a price of a subgraph, whole token0 for one token1: log of the inverse in smallest units, with `tickScale` of its pool. */
export function tickAt(price: number, scale: number): number {
  return (scale - Math.log(price)) / Math.log(1.0001)
}

export function tickScale({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>): number {
  return (token1.decimals - token0.decimals) * Math.LN10
}
