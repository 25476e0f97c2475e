import type { BarFigures, Pool, UsdPrice } from '../../ports.ts'
import type { Period } from '../periods/read-periods.ts'
import { MAX_TICK, type Bars } from '@svc/lp-math'
import { lpFeeShare } from '../../liquidity/pools/pool-state.ts'
import { type BarGrid, createColumns } from './bar-columns.ts'
import { believablePeriods, tickAt, tickScale } from '../periods/believable-periods.ts'

/**
 * Hours or days of a subgraph as bars without holes. A bar opens where the one before closed; one without a period is a gap, taken to be quiet.
 * A period that no pool can have is a gap too (`believablePeriods`), and of its range only prices that a pool can have count. The
 * inputs of a bar are half its volume, corrected by what the move of the price kept in the pool at its liquidity (v3 whitepaper
 * eq. 6.14 and 6.16). Its dollars are those of its trade in a pegged token, else what the subgraph says where a price of today is
 * within a factor of 3 of it, else the trade at that price: subgraphs count no dollars for tokens that they do not trust.
 * Where neither token has a price, the one that most of its dollars come to stands for that of today.
 */
export function barsOfPeriods(
  pool: Pick<Pool, 'version' | 'fee' | 'protocolFee' | 'token0' | 'token1'>,
  before: Period | null,
  periods: readonly Period[],
  grid: BarGrid,
  priced: readonly DollarSide[],
): SubgraphBars {
  const { opening: known, sane } = believablePeriods(pool, before, periods)
  const sides = priced.length > 0 ? priced : reportedSides(pool, sane)
  const opening = known ?? sane[0]
  const skipped = opening === known || opening === undefined ? 0 : (opening.startsAt - grid.start) / grid.barSeconds
  const count = opening === undefined ? 0 : grid.count - skipped
  const columns = createColumns({ ...grid, start: grid.start + skipped * grid.barSeconds, count })
  const column = () => new Float64Array(count)
  const figures = { volumeUsd: column(), feesUsd: column(), tvlUsd: column(), trades: column() }
  const gapsAt: number[] = []
  const at = new Map(sane.map((period) => [period.startsAt, period]))
  const scale = tickScale(pool)
  const paid = ((lpFeeShare(pool, pool.fee, true) + lpFeeShare(pool, pool.fee, false)) / 2) * (pool.fee / 1e6)
  let last = opening
  for (const [index, startsAt] of columns.startsAt.entries()) {
    const period = at.get(startsAt)
    if (last === undefined) break
    if (period === undefined) gapsAt.push(startsAt)
    fillBar(columns, index, { pool, scale, last, period })
    last = period ?? last
    figures.volumeUsd[index] = period === undefined ? 0 : dollarsOf(period, sides)
    figures.feesUsd[index] = (figures.volumeUsd[index] ?? 0) * paid
    figures.tvlUsd[index] = last.tvlUsd > 0 ? last.tvlUsd : Number.NaN
    figures.trades[index] = period?.trades ?? 0
  }
  return {
    bars: { ...columns, feeGrowth: null },
    figures,
    gapsAt,
    reported: sane,
    opening: known,
    absurd: periods.length - sane.length,
    newest: sane.at(-1) ?? known,
  }
}

export type SubgraphBars = {
  readonly bars: Bars
  readonly figures: BarFigures
  readonly gapsAt: readonly number[]
  /** The periods that a pool can have. */
  readonly reported: readonly Period[]
  /** The one before them. */
  readonly opening: Period | null
  /** How many periods were left out, as no pool can have them. */
  readonly absurd: number
  /** The last that a pool can have, also where it begins after the bars. */
  readonly newest: Period | null
}

type Place = {
  readonly pool: Pick<Pool, 'token0' | 'token1'>
  readonly scale: number
  readonly last: Period
  readonly period: Period | undefined
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

function isTick(tick: number): boolean {
  return Math.abs(tick) <= MAX_TICK
}

function pricesOf({ price, open, high, low }: Period): number[] {
  return [price, open, high, low].filter((each) => each > 0)
}

function dollarsOf({ volume0, volume1, volumeUsd }: Period, sides: readonly DollarSide[]): number {
  const worths = sides.map(({ isToken1, usd }) => (isToken1 ? volume1 : volume0) * usd)
  const [own] = worths
  if (own === undefined) return volumeUsd < 0 || (volumeUsd === 0 && volume0 + volume1 > 0) ? Number.NaN : volumeUsd
  const isReported = worths.some((worth) => volumeUsd <= 3 * worth && volumeUsd >= worth / 3)
  return isReported && sides[0]?.isPegged !== true ? volumeUsd : own
}

/**
 * The tokens of a pool at the prices that a subgraph's own dollars come to, the median of its periods: what a single one tells beside
 * the others can be held against it. A token is left out where half of the periods that traded it tell no dollars.
 */
function reportedSides(
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

/**
 * The tokens of a pool whose trade counts in dollars, at their prices of now, the best first: a pegged one, whose price of now is that
 * of the past, then token1. None where neither has a trustworthy price.
 */
export function dollarSides(
  { token0, token1 }: Pick<Pool, 'token0' | 'token1'>,
  price0: UsdPrice | null,
  price1: UsdPrice | null,
): readonly DollarSide[] {
  const side0 = price0 && { isToken1: false, usd: price0.usd, decimals: token0.decimals, isPegged: token0.usdPegged }
  const side1 = price1 && { isToken1: true, usd: price1.usd, decimals: token1.decimals, isPegged: token1.usdPegged }
  const order = side0?.isPegged === true ? [side0, side1] : [side1, side0]
  return order.filter((side) => side !== null)
}

type DollarSide = {
  readonly isToken1: boolean
  /** For one whole token. */
  readonly usd: number
  readonly decimals: number
  readonly isPegged: boolean
}
