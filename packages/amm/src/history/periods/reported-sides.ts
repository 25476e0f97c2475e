import type { Pool } from '../../ports.ts'
import type { DollarSide } from './dollar-sides.ts'
import type { Period } from './read-periods.ts'

/**
 * The tokens of a pool at the prices that a subgraph's own dollars come to, the median of its periods: what a single one tells beside
 * the others can be held against it. A token is left out where half of the periods that traded it tell no dollars.
 */
export function reportedSides(
  { token0, token1 }: Pick<Pool, 'token0' | 'token1'>,
  periods: readonly Period[],
): readonly DollarSide[] {
  const side1 = { isToken1: true, usd: medianPrice(periods, 'volume1'), decimals: token1.decimals, isPegged: false }
  const side0 = { isToken1: false, usd: medianPrice(periods, 'volume0'), decimals: token0.decimals, isPegged: false }
  return [side1, side0].filter(({ usd }) => usd > 0 && Number.isFinite(usd))
}

function medianPrice(periods: readonly Period[], volume: 'volume0' | 'volume1'): number {
  const traded = periods.filter((period) => period[volume] > 0)
  const prices = traded.map((period) => Math.max(0, period.volumeUsd) / period[volume]).toSorted((a, b) => a - b)
  return prices[Math.floor((prices.length - 1) / 2)] ?? 0
}
