import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import type { PeriodPool } from './believable-periods.ts'
import type { Period } from './read-periods.ts'

/**
 * Whether what a subgraph tells of a period (null for nothing) is what the swaps of that time come to: its volumes to a hundredth, its
 * last price to a thousandth, its range of prices no wider than theirs and the price before, its liquidity within a factor of 4 of what
 * they met, as positions come and go without a swap.
 */
export function periodFitsSwaps(
  pool: PeriodPool,
  period: Period | null,
  before: Period | null,
  swaps: readonly SwapRecord[],
): boolean {
  const last = swaps.at(-1)
  if (period === null || last === undefined) return last === undefined && !isTraded(period)
  const { token0, token1 } = pool
  const prices = swaps.map(({ sqrtPriceX96 }) => 1 / priceFromSqrtPrice(sqrtPriceX96, token0.decimals, token1.decimals))
  const close = prices.at(-1) ?? 0
  const seen = [...prices, ...(before === null ? [] : [before.price])]
  const [least, most] = [seen.reduce((a, b) => Math.min(a, b)), seen.reduce((a, b) => Math.max(a, b))]
  const met = swaps.map(({ liquidity }) => Number(liquidity))
  const isRange = before === null || (Math.max(0, period.high) <= most * near && least <= lowOf(period) * near)
  return (
    isVolume(pool.token0, period.volume0, swaps, 'amount0') &&
    isVolume(pool.token1, period.volume1, swaps, 'amount1') &&
    Math.abs(Math.log(period.price / close)) <= Math.log(near) &&
    isRange &&
    period.liquidity * 4 >= met.reduce((a, b) => Math.min(a, b)) &&
    period.liquidity <= 4 * met.reduce((a, b) => Math.max(a, b))
  )
}

const near = 1.001

function isTraded(period: Period | null): boolean {
  return period !== null && period.volume0 + period.volume1 > 0
}

/** Some subgraphs have none of an hour in which the pool was opened. */
function lowOf({ low, price }: Period): number {
  return low > 0 ? low : price
}

function isVolume(
  { decimals }: Pool['token0'],
  told: number,
  swaps: readonly SwapRecord[],
  side: 'amount0' | 'amount1',
): boolean {
  const traded = swaps.reduce((sum, swap) => sum + Math.abs(Number(swap[side])), 0) / 10 ** decimals
  return Math.abs(told - traded) <= 0.01 * traded
}
