import type { Hex } from 'viem'
import type { PriceBand, Sighting } from '../ports.ts'
import type { SeenBand } from './band/jump-bound.ts'
import type { PoolSnapshot, PoolSums } from './band/pool-reading.ts'

/** Under which name a pool is remembered. */
export function poolSubject(id: Hex): string {
  return `pool ${id.toLowerCase()}`
}

/** Under which name a token's bands are remembered; `key` is its address in lower case. */
export function tokenSubject(key: string): string {
  return `token ${key}`
}

export function sightingOfPool(id: Hex, { atSeconds, sqrtPriceX96, liquidity, sums }: PoolSnapshot): Sighting {
  const { kind: _, ...summed } = sums ?? { kind: null }
  return { subject: poolSubject(id), atSeconds, values: { sqrtPriceX96, liquidity, ...summed } }
}

/** `null` for what was not kept of a pool. */
export function poolOfSighting({ atSeconds, values }: Sighting): PoolSnapshot | null {
  const { sqrtPriceX96, liquidity } = values
  if (sqrtPriceX96 === undefined || liquidity === undefined) return null
  return { atSeconds, sqrtPriceX96, liquidity, sums: sumsOf(values) }
}

export function sightingOfBand(key: string, band: PriceBand, atSeconds: number): Sighting {
  const { lowE18, highE18, midE18 } = band
  return { subject: tokenSubject(key), atSeconds, values: { lowE18, highE18, midE18 } }
}

/** `null` for what was not kept of a token. */
export function bandOfSighting({ atSeconds, values }: Sighting): SeenBand | null {
  const { lowE18, highE18, midE18 } = values
  if (lowE18 === undefined || highE18 === undefined || midE18 === undefined) return null
  return { atSeconds, lowE18, highE18, midE18 }
}

function sumsOf(values: Sighting['values']): PoolSums | null {
  const { tick, perLiquidityX128, price0X112, price1X112 } = values
  if (tick !== undefined && perLiquidityX128 !== undefined) return { kind: 'ticks', tick, perLiquidityX128 }
  if (price0X112 !== undefined && price1X112 !== undefined) return { kind: 'prices', price0X112, price1X112 }
  return null
}
