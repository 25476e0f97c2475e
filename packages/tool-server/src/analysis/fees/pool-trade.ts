import { type Bars, worthOfBars, v4SwapFee } from '@svc/lp-math'
import type { Pool } from '@svc/amm'
import { lpFeeShare } from '@svc/amm/liquidity'

/**
 * What a pool traded in each of the last whole days of its bars, oldest first, in whole tokens of one side, and what its liquidity
 * providers earned of it.
 */
export function dailyTrade(bars: Bars, terms: TradeTerms): DailyTrade {
  const { countedToken, decimals, gaps, feePips, protocolFeeShare } = terms
  const worth = worthOfBars(bars, { amount0: bars.amount0In, amount1: bars.amount1In }, countedToken)
  const barsADay = 86_400 / bars.barSeconds
  const days = Math.floor(worth.length / barsADay + 1e-9)
  const back = (count: number) => Math.max(0, worth.length - Math.round(count * barsADay))
  const volumes = Array.from({ length: days }, (_, day) =>
    worth.subarray(back(days - day), back(days - day - 1)).reduce((sum, bar) => sum + bar / 10 ** decimals, 0),
  )
  const paid = (feePips / 1e6) * (1 - protocolFeeShare)
  const hasTraded = volumes.some((volume) => volume > 0)
  const daysKnown = hasTraded ? Math.max(0, Math.floor(days - gaps / barsADay)) : 0
  return { volumes, fees: volumes.map((volume) => volume * paid), daysKnown }
}

export type TradeTerms = WholeFee & {
  readonly countedToken: 0 | 1
  /** Of that token. */
  readonly decimals: number
  /** How many bars nothing is known of. */
  readonly gaps: number
}

export type DailyTrade = {
  readonly volumes: readonly number[]
  readonly fees: readonly number[]
  /** Days, those without data left out; none where nobody ever traded, as that tells no yield. */
  readonly daysKnown: number
}

/**
 * What a swap pays in a pool, in millionths of the input, and the protocol's part of it as a fraction: the mean of both directions.
 * A v4 pool's `fee` is what liquidity providers take of the rest after the protocol's part, a v3 pool's the whole.
 */
export function wholeFee(pool: Pick<Pool, 'version' | 'fee' | 'protocolFee'>): WholeFee {
  const sides = [true, false].map((zeroForOne) => {
    const protocolPips = zeroForOne ? pool.protocolFee & 0xfff : pool.protocolFee >> 12
    const feePips = pool.version === 'v4' ? v4SwapFee(protocolPips, pool.fee) : pool.fee
    return { feePips, protocolFeeShare: 1 - lpFeeShare(pool, feePips, zeroForOne) }
  })
  const mean = (of: (side: WholeFee) => number) => sides.reduce((sum, side) => sum + of(side), 0) / sides.length
  return { feePips: mean((side) => side.feePips), protocolFeeShare: mean((side) => side.protocolFeeShare) }
}

export type WholeFee = { readonly feePips: number; readonly protocolFeeShare: number }

/** By what fraction a price must move before a trade follows it for gain: the fee of the pool, and at least a tick. */
export function leastMove(pool: Pick<Pool, 'version' | 'fee' | 'protocolFee'>): number {
  return Math.max(wholeFee(pool).feePips / 1e6, 1e-4)
}
