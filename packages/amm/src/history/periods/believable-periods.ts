import { MAX_TICK } from '@svc/lp-math'
import type { Pool } from '../../ports.ts'
import { tickAt, tickScale } from './period-tick.ts'
import type { Period } from './read-periods.ts'

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
