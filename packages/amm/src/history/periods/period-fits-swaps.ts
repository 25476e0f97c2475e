import { priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import type { PeriodPool } from './believable-periods.ts'
import type { Period } from './read-periods.ts'

/**
 * Whether what a subgraph tells of a period (null for nothing) is what the swaps of that time come to: its volumes to a hundredth, its
 * last price to a millionth, its range of prices no wider than theirs and the price before, its liquidity within a factor of 4 of what
 * they met, as positions come and go without a swap. Few swaps may all have met a position that came for them alone: then what swaps of
 * other times met (`metElsewhere`) counts too. Pairs are added to and synced at other prices too, a thousandth is theirs, and where a
 * flash swap paid back what it took, which their subgraphs count twice and swaps net, no volume is too large.
 */
export function periodFitsSwaps(
  pool: PeriodPool,
  period: Period | null,
  before: Period | null,
  swaps: readonly SwapRecord[],
  metElsewhere: readonly number[] = [],
): boolean {
  const last = swaps.at(-1)
  if (period === null || last === undefined) return last === undefined && !isTraded(period)
  const { token0, token1 } = pool
  const prices = swaps.map(({ sqrtPriceX96 }) => 1 / priceFromSqrtPrice(sqrtPriceX96, token0.decimals, token1.decimals))
  const close = prices.at(-1) ?? 0
  const seen = [...prices, ...(before === null ? [] : [before.price])]
  const [least, most] = [seen.reduce((a, b) => Math.min(a, b)), seen.reduce((a, b) => Math.max(a, b))]
  const near = pool.version === 'v2' ? 1.001 : 1.000001
  const isFlash = pool.version === 'v2' && swaps.some(({ amount0, amount1 }) => amount0 >= 0n && amount1 >= 0n)
  const isVolume = isFlash ? isNoLess : isSame
  const isRange = before === null || (Math.max(0, period.high) <= most * near && least <= lowOf(period) * near)
  return (
    isVolume(period.volume0, tradedOf(token0, swaps, 'amount0')) &&
    isVolume(period.volume1, tradedOf(token1, swaps, 'amount1')) &&
    Math.abs(Math.log(period.price / close)) <= Math.log(near) &&
    isRange &&
    isWithin(4, period.liquidity, [...metOf(swaps), ...(swaps.length <= few ? metElsewhere : [])])
  )
}

/** The liquidity that swaps met. */
export function metOf(swaps: readonly SwapRecord[]): readonly number[] {
  return swaps.map(({ liquidity }) => Number(liquidity))
}

/** Whether a liquidity is in the span of those that swaps met, but for a factor. */
export function isWithin(factor: number, liquidity: number, met: readonly number[]): boolean {
  const [least, most] = [met.reduce((a, b) => Math.min(a, b)), met.reduce((a, b) => Math.max(a, b))]
  return liquidity * factor >= least && liquidity <= factor * most
}

const few = 3

function isTraded(period: Period | null): boolean {
  return period !== null && period.volume0 + period.volume1 > 0
}

/** Some subgraphs have none of an hour in which the pool was opened. */
function lowOf({ low, price }: Period): number {
  return low > 0 ? low : price
}

function tradedOf({ decimals }: Pool['token0'], swaps: readonly SwapRecord[], side: 'amount0' | 'amount1'): number {
  return swaps.reduce((sum, swap) => sum + Math.abs(Number(swap[side])), 0) / 10 ** decimals
}

function isSame(reported: number, traded: number): boolean {
  return Math.abs(reported - traded) <= 0.01 * traded
}

function isNoLess(reported: number, traded: number): boolean {
  return reported >= 0.99 * traded
}
