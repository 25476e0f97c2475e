import type { Pool, TickRow } from '../../ports.ts'

/**
 * Liquidity in force from each initialised tick up to the next one, in the order of `rows`, which must be ascending and
 * without gaps around the current tick. Walks out from the pool's in-range liquidity by `liquidityNet` (v3 whitepaper 6.3).
 */
export function activeLiquidity(pool: Pick<Pool, 'tick' | 'liquidity'>, rows: readonly TickRow[]): readonly bigint[] {
  const firstAbove = rows.findIndex((row) => row.tick > pool.tick)
  const split = firstAbove === -1 ? rows.length : firstAbove
  let above = pool.liquidity
  const upper = rows.slice(split).map((row) => (above += row.liquidityNet))
  let below = pool.liquidity
  const lower = rows
    .slice(0, split)
    .reverse()
    .map((row) => {
      const active = below
      below -= row.liquidityNet
      return active
    })
  return [...lower.reverse(), ...upper]
}
