import { MAX_TICK, type Bars } from '@svc/lp-math'
import type { Pool, PoolBars } from '../../ports.ts'
import { wholeFee } from './whole-fee.ts'

/**
 * What a pool traded in each of the last whole days of a history of hours, oldest first, in whole tokens of one side, and what its
 * liquidity providers earned of it. What no pool can have traded, an amount below nothing or no number, counts as nothing.
 */
export function dailyTrade(
  { bars, completeness }: Pick<PoolBars, 'bars' | 'completeness'>,
  pool: Pick<Pool, 'version' | 'fee' | 'protocolFee' | 'token0' | 'token1'>,
  countedToken: 0 | 1,
): DailyTrade {
  const { feePips, protocolFeeShare } = wholeFee(pool)
  const decimals = (countedToken === 0 ? pool.token0 : pool.token1).decimals
  const perHour = Array.from(bars.startsAt, (_, bar) => worthOf(bars, bar, countedToken) / 10 ** decimals)
  const days = Math.floor(perHour.length / 24)
  const volumes = Array.from({ length: days }, (_, day) => {
    const end = perHour.length - (days - 1 - day) * 24
    return perHour.slice(end - 24, end).reduce((sum, hour) => sum + hour, 0)
  })
  const paid = (feePips / 1e6) * (1 - protocolFeeShare)
  const gapDays = completeness.gaps / 24
  return { volumes, fees: volumes.map((volume) => volume * paid), daysKnown: Math.max(0, Math.floor(days - gapDays)) }
}

export type DailyTrade = {
  readonly volumes: readonly number[]
  readonly fees: readonly number[]
  /** Days, those without data left out. */
  readonly daysKnown: number
}

/** What came in, at the mean of the prices of the hour, in smallest units of the counted token. */
function worthOf({ lowTick, highTick, amount0In, amount1In }: Bars, bar: number, countedToken: 0 | 1): number {
  const tick = ((lowTick[bar] ?? 0) + (highTick[bar] ?? 0)) / 2
  if (!(Math.abs(tick) <= MAX_TICK)) return 0
  const price = 1.0001 ** tick
  const [amount0, amount1] = [amount0In[bar] ?? 0, amount1In[bar] ?? 0].map((amount) => (amount > 0 ? amount : 0))
  const worth = countedToken === 1 ? (amount0 ?? 0) * price + (amount1 ?? 0) : (amount0 ?? 0) + (amount1 ?? 0) / price
  return Number.isFinite(worth) ? worth : 0
}
