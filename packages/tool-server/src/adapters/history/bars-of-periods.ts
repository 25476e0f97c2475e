import { MAX_TICK, type Bars } from '@svc/lp-math'
import type { BarFigures, Pool } from '../../ports.ts'
import { lpFeeShare } from '../analytics/lp-fee-share.ts'
import type { BarGrid } from './bar-grid.ts'
import { createColumns } from './columns.ts'
import type { Period } from './read-periods.ts'

/**
 * Hours or days of a subgraph as bars without holes. A bar opens where the one before closed; one without a period is a gap, taken to be quiet.
 * A period whose price, liquidity or volume no pool can have (none, below zero, beyond the contract's bounds) is a gap too, and of its
 * range only prices that a pool can have count. The inputs of a bar are half its volume, corrected by
 * what the move of the price kept in the pool at its liquidity (v3 whitepaper eq. 6.14 and 6.16). Dollars that the subgraph cannot
 * mean (a negative worth, no volume in dollars for a volume in tokens) are no number.
 */
export function barsOfPeriods(
  pool: Pick<Pool, 'version' | 'fee' | 'hooks' | 'protocolFee' | 'token0' | 'token1'>,
  before: Period | null,
  periods: readonly Period[],
  grid: BarGrid,
): SubgraphBars {
  const sane = periods.filter((period) => isSane(period, pool))
  const opening = before !== null && isSane(before, pool) ? before : sane[0]
  const skipped = opening === before || opening === undefined ? 0 : (opening.startsAt - grid.start) / grid.barSeconds
  const count = opening === undefined ? 0 : grid.count - skipped
  const columns = createColumns({ ...grid, start: grid.start + skipped * grid.barSeconds, count })
  const column = () => new Float64Array(count)
  const figures = { volumeUsd: column(), feesUsd: column(), tvlUsd: column(), trades: column() }
  const gapsAt: number[] = []
  const at = new Map(sane.map((period) => [period.startsAt, period]))
  const scale = tickScale(pool)
  let last = opening
  for (const [index, startsAt] of columns.startsAt.entries()) {
    const period = at.get(startsAt)
    if (last === undefined) break
    if (period === undefined) gapsAt.push(startsAt)
    fillBar(columns, index, { pool, scale, last, period })
    last = period ?? last
    figures.volumeUsd[index] = period === undefined ? 0 : dollarsOf(period)
    figures.feesUsd[index] = period === undefined ? 0 : feesOf(pool, period)
    figures.tvlUsd[index] = last.tvlUsd > 0 ? last.tvlUsd : Number.NaN
    figures.trades[index] = period?.trades ?? 0
  }
  const absurd = periods.length - sane.length
  return {
    bars: { ...columns, feeGrowth: null },
    figures,
    gapsAt,
    notes: absurd === 0 ? [] : [`${absurd} periods with absurd figures were left out.`],
  }
}

export type SubgraphBars = {
  readonly bars: Bars
  readonly figures: BarFigures
  readonly gapsAt: readonly number[]
  readonly notes: readonly string[]
}

type Place = {
  readonly pool: Pick<Pool, 'token0' | 'token1'>
  readonly scale: number
  readonly last: Period
  readonly period: Period | undefined
}

/** Prices of subgraphs, whole token0 for one token1, to ticks of smallest units: log of the inverse, with the decimals. */
function tickScale({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>): number {
  return (token1.decimals - token0.decimals) * Math.LN10
}

function fillBar(columns: ReturnType<typeof createColumns>, index: number, { pool, scale, last, period }: Place): void {
  const tickOf = (price: number) => tickAt(price, scale)
  const ticks = [last.price, ...(period === undefined ? [] : pricesOf(period))].map(tickOf).filter(isTick)
  columns.openTick[index] = tickOf(last.price)
  columns.closeTick[index] = tickOf((period ?? last).price)
  columns.lowTick[index] = Math.min(...ticks)
  columns.highTick[index] = Math.max(...ticks)
  columns.liquidity[index] = (period ?? last).liquidity
  if (period === undefined) return
  const rootOf = (tick: number) => 1.0001 ** (tick / 2)
  const [from, to] = [rootOf(columns.openTick[index] ?? 0), rootOf(columns.closeTick[index] ?? 0)]
  const kept0 = period.liquidity * (1 / to - 1 / from)
  columns.amount0In[index] = inputOf(period.volume0 * 10 ** pool.token0.decimals, kept0)
  columns.amount1In[index] = inputOf(period.volume1 * 10 ** pool.token1.decimals, period.liquidity * (to - from))
}

/** In + out is the volume, in - out what the pool kept. */
function inputOf(volume: number, kept: number): number {
  return Math.min(volume, Math.max(0, (volume + kept) / 2))
}

function tickAt(price: number, scale: number): number {
  return (scale - Math.log(price)) / Math.log(1.0001)
}

function isTick(tick: number): boolean {
  return Math.abs(tick) <= MAX_TICK
}

function pricesOf({ price, open, high, low }: Period): number[] {
  return [price, open, high, low].filter((each) => each > 0)
}

function isSane(
  { price, liquidity, volume0, volume1, trades }: Period,
  pool: Pick<Pool, 'token0' | 'token1'>,
): boolean {
  const isPrice = price > 0 && isTick(tickAt(price, tickScale(pool)))
  return isPrice && liquidity >= 0 && liquidity < 2 ** 128 && [volume0, volume1, trades].every(isAmount)
}

/** Of whole tokens: a token of no decimals has no more than 2^256 of them. */
function isAmount(amount: number): boolean {
  return amount >= 0 && amount < 2 ** 256
}

function dollarsOf({ volume0, volume1, volumeUsd }: Period): number {
  return volumeUsd < 0 || (volumeUsd === 0 && volume0 + volume1 > 0) ? Number.NaN : volumeUsd
}

/** What the subgraph counts is the whole fee; of a fee that a hook sets it counts a flag, so there the fee in force is taken. */
function feesOf(pool: Pick<Pool, 'version' | 'fee' | 'hooks' | 'protocolFee'>, period: Period): number {
  const share = (lpFeeShare(pool, pool.fee, true) + lpFeeShare(pool, pool.fee, false)) / 2
  const volume = dollarsOf(period)
  const told = pool.hooks === null ? period.feesUsd : null
  const whole = told === null ? (volume * pool.fee) / 1e6 : volume === 0 ? 0 : told
  return (whole >= 0 && whole <= volume ? whole : Number.NaN) * share
}
