import { MAX_TICK, priceFromSqrtPrice } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
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

/**
 * The tick of a price of a subgraph, whole token0 for one token1: log of the inverse in smallest units, with `tickScale` of its
 * pool. What rounding puts beyond the last tick is at it.
 */
export function tickAt(price: number, scale: number): number {
  const tick = (scale - Math.log(price)) / Math.log(1.0001)
  return Math.abs(Math.abs(tick) - MAX_TICK) < 1e-6 ? Math.sign(tick) * MAX_TICK : tick
}

export function tickScale({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>): number {
  return (token1.decimals - token0.decimals) * Math.LN10
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

/**
 * The periods that a pool can have, and the one before them if it can. None has a price that no pool has, an amount below zero or beyond
 * the contract's bounds, a trade without liquidity, one more than 10,000 times what the liquidity holds at its price, or, but for
 * pairs, whose flash swaps count on one side alone, amounts of the two tokens that are not those of any of its prices.
 */
export function believablePeriods(pool: PeriodPool, before: Period | null, periods: readonly Period[]): Believable {
  const opening = before !== null && isSane(pool, before, before) ? before : null
  const sane: Period[] = []
  let last = opening
  for (const period of periods) {
    if (!isSane(pool, period, last ?? period)) continue
    sane.push(period)
    last = period
  }
  return { opening, sane }
}

export type PeriodPool = Pick<Pool, 'version' | 'token0' | 'token1'>

export type Believable = { readonly opening: Period | null; readonly sane: readonly Period[] }

function isSane(pool: PeriodPool, period: Period, last: Period): boolean {
  const { price, liquidity, volume0, volume1, trades } = period
  const tick = tickAt(price, tickScale(pool))
  const isPrice = price > 0 && Math.abs(tick) <= MAX_TICK
  if (!isPrice || !(liquidity >= 0 && liquidity < 2 ** 128)) return false
  if (![volume0, volume1].every(isAmount) || !(trades >= 0 && trades < mostTrades)) return false
  const held1 = (liquidity * 1.0001 ** (tick / 2)) / 10 ** pool.token1.decimals
  const isHeld = volume1 <= mostTurnover * held1 && volume0 <= mostTurnover * held1 * price
  return isHeld && (pool.version === 'v2' || isTradedAtPrices(pool, period, last))
}

/** Of whole tokens: a token of no decimals has no more than 2^256 of them. */
function isAmount(amount: number): boolean {
  return amount >= 0 && amount < 2 ** 256
}

/** Whether the amounts are those of a price seen, but for a factor of 2, and units that rounding takes of a trade. */
function isTradedAtPrices({ token0, token1 }: PeriodPool, period: Period, last: Period): boolean {
  const { price, open, high, low, volume0, volume1, trades } = period
  const prices = [last.price, price, open, high, low].filter((each) => each > 0)
  const [rounded0, rounded1] = [token0, token1].map(({ decimals }) => (2 * (trades + 1)) / 10 ** decimals)
  const most0 = 2 * Math.max(...prices) * (volume1 + (rounded1 ?? 0))
  const least0 = (Math.min(...prices) / 2) * (volume1 - (rounded1 ?? 0))
  return volume0 - (rounded0 ?? 0) <= most0 && volume0 + (rounded0 ?? 0) >= least0
}

const mostTurnover = 10_000
const mostTrades = 1e8
