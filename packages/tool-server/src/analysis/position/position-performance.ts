import { type Bars, getSqrtPriceAtTick } from '@svc/lp-math'
import { type Position, type PositionEvents, type SwapRecord, type UsdPrice, type PoolBars, ToolError } from '@svc/amm'
import type { Hash } from 'viem'
import { sumUsd, valueUsd } from '../value-usd.ts'
import type { Chain } from '@svc/wallet/core'
import type { ReadContext } from '../../tool-context.ts'

/**
 * What a position brought, in dollars: what it holds, took out and earned against holding all that was put in, at today's prices; and
 * what it brought against what was paid at the prices of that time: of the same sources where they tell (`profitByPrices`), else the
 * pool's own, where a token of it is pegged to the dollar (`profitByPool`). Annual percentages are of the capital that was at work, weighted by time, over a year of 365 days, from a day
 * on. The time in range is that between its swaps, where all are known, else estimated by bars. `bars` cover the life of the position, or are null; `now` is Unix seconds. Losses are negative.
 */
export function positionPerformance(facts: PerformanceFacts): Performance {
  const { position, events, openedAt, earned, price0, price1, gasUsd, now } = facts
  const { token0, token1 } = position.pool
  const worth = (amount0: bigint, amount1: bigint) =>
    sumUsd(valueUsd(amount0, token0, price0), valueUsd(amount1, token1, price1))
  const deposited = totalOf(events, 'deposit')
  const withdrawn = totalOf(events, 'withdrawal')
  const known = openedAt !== null
  const valueNow = worth(position.amount0, position.amount1)
  const hodlUsd = known ? worth(...deposited) : null
  const keptUsd = known ? sumUsd(valueNow, worth(...withdrawn)) : null
  const feesUsd = earned === null ? null : worth(earned.fees0, earned.fees1)
  const ilUsd = lessUsd(keptUsd, hodlUsd)
  const capital = known ? meanCapital(facts, openedAt, worth) : null
  const years = known && now - openedAt >= 86_400 ? (now - openedAt) / (365 * 86_400) : null
  const byPrices = known ? profitByPrices(facts, sumUsd(valueNow, feesUsd)) : null
  const profit = byPrices ?? (known ? profitByPool(facts) : null)
  const grossUsd = profit === null ? null : Math.round(profit.usd * 1e6) / 1e6
  return {
    deposited,
    withdrawn,
    valueUsd: valueNow,
    hodlUsd,
    feesUsd,
    ilUsd,
    vsHodlPct: percentOf(sumUsd(ilUsd, feesUsd), hodlUsd),
    marketUsd: lessUsd(grossUsd, sumUsd(ilUsd, feesUsd)),
    netPnlUsd: lessUsd(grossUsd, gasUsd),
    netPnlDoubtUsd: profit?.doubtUsd ?? 0,
    isAtPoolPrices: profit !== null && byPrices === null,
    feeApr: years === null || feesUsd === null ? null : percentOf(feesUsd / years, capital),
    ...timeInRange(facts),
  }
}

export type PerformanceFacts = PositionEvents & {
  readonly position: Position
  readonly price0: UsdPrice | null
  readonly price1: UsdPrice | null
  /** What the tokens were worth at each deposit and withdrawal, by transaction and by the sources of `price0` and `price1`. */
  readonly pricesThen: ReadonlyMap<Hash, PairPrices>
  readonly bars: Bars | null
  /** Every swap of the pool since the opening, oldest first, and some before it; `null` where not all are known. */
  readonly swaps: readonly SwapRecord[] | null
  readonly gasUsd: number | null
  readonly now: number
}

export type PairPrices = Pick<PerformanceFacts, 'price0' | 'price1'>

export type Performance = {
  /** Smallest units, in the pool's order. */
  readonly deposited: readonly [bigint, bigint]
  readonly withdrawn: readonly [bigint, bigint]
  readonly valueUsd: number | null
  readonly hodlUsd: number | null
  readonly feesUsd: number | null
  readonly ilUsd: number | null
  readonly vsHodlPct: number | null
  /**
   * What prices did since: what was put in and not taken out again, at today's prices less at those of its time. So `netPnlUsd` is
   * `ilUsd + feesUsd + marketUsd` less the gas.
   */
  readonly marketUsd: number | null
  readonly netPnlUsd: number | null
  /** What `netPnlUsd` may be off at most, for prices of the past that only a bar knows. */
  readonly netPnlDoubtUsd: number
  /** Whether `marketUsd` and `netPnlUsd` go by the prices of the pool, as no source tells of the time of each change. */
  readonly isAtPoolPrices: boolean
  readonly feeApr: number | null
  readonly timeInRangePct: number | null
  /** Whether it goes by bars of which some were partly within the range. */
  readonly isTimeEstimated: boolean
}

function totalOf(events: PositionEvents['events'], kind: 'deposit' | 'withdrawal'): [bigint, bigint] {
  const own = events.filter((event) => event.kind === kind)
  return [own.reduce((sum, { amount0 }) => sum + amount0, 0n), own.reduce((sum, { amount1 }) => sum + amount1, 0n)]
}

/** What was put in and not taken out again, at today's prices, weighted by time. */
function meanCapital(
  { events, now }: PerformanceFacts,
  openedAt: number,
  worth: (amount0: bigint, amount1: bigint) => number | null,
): number | null {
  const changes = events.filter(({ kind }) => kind !== 'collection')
  let capital = 0
  let weighted = 0
  for (const [index, { kind, amount0, amount1, timestamp }] of changes.entries()) {
    const usd = worth(amount0, amount1)
    if (usd === null) return null
    capital = Math.max(0, capital + (kind === 'deposit' ? usd : -usd))
    weighted += capital * ((changes[index + 1]?.timestamp ?? Math.max(now, timestamp + 1)) - timestamp)
  }
  return weighted / Math.max(now - openedAt, 1)
}

function timeInRange(facts: PerformanceFacts): Pick<Performance, 'timeInRangePct' | 'isTimeEstimated'> {
  const exact = shareBySwaps(facts)
  const { position, bars } = facts
  if (exact !== null) return { timeInRangePct: exact, isTimeEstimated: false }
  if (bars === null) return { timeInRangePct: null, isTimeEstimated: false }
  const { tickLower, tickUpper } = position
  const isSplit = bars.lowTick.some((low, index) => {
    const high = bars.highTick[index] ?? low
    return high >= tickLower && low < tickUpper && !(low >= tickLower && high < tickUpper)
  })
  return { timeInRangePct: shareInRange(position, bars), isTimeEstimated: isSplit }
}

/** To the second: each swap leaves a price that stands until the next. `null` where the price at the opening is not known. */
function shareBySwaps({ position, events, openedAt, swaps, now }: PerformanceFacts): number | null {
  if (swaps === null || openedAt === null) return null
  const [lower, upper] = [getSqrtPriceAtTick(position.tickLower), getSqrtPriceAtTick(position.tickUpper)]
  const later = swaps.filter(({ timestamp }) => timestamp > openedAt)
  const before = swaps[swaps.length - later.length - 1] ?? null
  const opening = before?.timestamp === openedAt ? before : (events[0] ?? before)
  let price = opening?.sqrtPriceX96 ?? before?.sqrtPriceX96 ?? null
  if (price === null) return null
  const end = Math.max(now, later.at(-1)?.timestamp ?? openedAt, openedAt)
  let [since, inside] = [openedAt, 0]
  for (const { timestamp, sqrtPriceX96 } of [...later, { timestamp: end, sqrtPriceX96: price }]) {
    if (price >= lower && price < upper) inside += timestamp - since
    since = timestamp
    price = sqrtPriceX96
  }
  const { sqrtPriceX96: present } = position.pool
  if (end === openedAt) return present >= lower && present < upper ? 100 : 0
  return Math.round((inside / (end - openedAt)) * 1e6) / 1e4
}

/** Of each bar the part of its move that was within the range; of one that stood still, all or nothing. */
function shareInRange({ tickLower, tickUpper }: Position, bars: Bars): number | null {
  if (bars.startsAt.length === 0) return null
  let share = 0
  for (const [index, low] of bars.lowTick.entries()) {
    const high = bars.highTick[index] ?? low
    const inside = Math.min(high, tickUpper) - Math.max(low, tickLower)
    if (high === low) share += tickLower <= low && low < tickUpper ? 1 : 0
    else share += Math.max(0, inside) / (high - low)
  }
  return Math.round((share / bars.startsAt.length) * 1e6) / 1e4
}

function lessUsd(whole: number | null, part: number | null): number | null {
  return part === null ? null : sumUsd(whole, -part)
}

function percentOf(part: number | null, whole: number | null): number | null {
  if (part === null || whole === null || whole <= 0) return null
  return Math.round((part / whole) * 1e6) / 1e4
}

type Profit = { readonly usd: number; readonly doubtUsd: number }

/**
 * What a position brought against what was paid for it, before gas, each change at the dollars of its time, by the sources that tell what
 * it is worth now: whoever moves the pool makes no profit of that. Null where one of them does not tell.
 */
function profitByPrices(
  { position, events, pricesThen }: Pick<PerformanceFacts, 'position' | 'events' | 'pricesThen'>,
  keptUsd: number | null,
): Profit | null {
  const { token0, token1 } = position.pool
  const changes = events.map(({ kind, amount0, amount1, transactionHash }) => {
    if (kind === 'collection') return 0
    const { price0, price1 } = pricesThen.get(transactionHash) ?? { price0: null, price1: null }
    const usd = sumUsd(valueUsd(amount0, token0, price0), valueUsd(amount1, token1, price1))
    return usd === null || kind === 'withdrawal' ? usd : -usd
  })
  const usd = sumUsd(keptUsd, ...changes)
  return usd === null ? null : { usd, doubtUsd: 0 }
}

/**
 * What a position brought against what was paid for it, before gas, in the token of its pool that is pegged to the dollar: both ends
 * at the pool's own price, of the moment of each change and of now, so that a difference between sources is no profit. A change whose
 * price is not known takes that of the end of its bar, and `doubtUsd` is what this may be off at most. Null without a pegged token
 * or without a price.
 */
function profitByPool(facts: {
  readonly position: Position
  readonly events: PositionEvents['events']
  readonly earned: PositionEvents['earned']
  readonly bars: Bars | null
}): Profit | null {
  const { position, events, earned, bars } = facts
  const { token0, token1, sqrtPriceX96 } = position.pool
  if ((!token0.usdPegged && !token1.usdPegged) || earned === null) return null
  const worth = (amount0: bigint, amount1: bigint, price: number) =>
    token1.usdPegged
      ? (Number(amount1) + Number(amount0) * price) / 10 ** token1.decimals
      : (Number(amount0) + Number(amount1) / price) / 10 ** token0.decimals
  const held = [position.amount0 + earned.fees0, position.amount1 + earned.fees1] as const
  let usd = worth(...held, priceOf(sqrtPriceX96))
  let doubtUsd = 0
  for (const { kind, amount0, amount1, timestamp, sqrtPriceX96: then } of events) {
    if (kind === 'collection') continue
    const at = then === null ? barPrices(bars, timestamp) : { price: priceOf(then), others: [] }
    if (at === null) return null
    const own = worth(amount0, amount1, at.price)
    usd += kind === 'deposit' ? -own : own
    doubtUsd += Math.max(0, ...at.others.map((other) => Math.abs(worth(amount0, amount1, other) - own)))
  }
  return { usd, doubtUsd }
}

function priceOf(sqrtPriceX96: bigint): number {
  return (Number(sqrtPriceX96) / 2 ** 96) ** 2
}

/** The price at the end of a bar, and its extremes. */
function barPrices(bars: Bars | null, timestamp: number) {
  if (bars === null) return null
  const index = Math.floor((timestamp - (bars.startsAt[0] ?? 0)) / bars.barSeconds)
  const last = Math.min(index, bars.closeTick.length - 1)
  const [close, low, high] = [bars.closeTick[last], bars.lowTick[last], bars.highTick[last]]
  if (close === undefined || low === undefined || high === undefined) return null
  return { price: 1.0001 ** close, others: [1.0001 ** low, 1.0001 ** high] }
}

type Past = Pick<ReadContext, 'history' | 'liquidity' | 'signal'>

/** Bars of the life of a position; null where they begin later. */
export async function barsSince(
  context: Past,
  chain: Chain,
  { pool }: Pick<Position, 'pool'>,
  openedAt: number | null,
  now: number,
): Promise<PoolBars | null> {
  if (openedAt === null) return null
  const barSeconds = now - openedAt > mostHours * 3_600 ? 86_400 : 3_600
  try {
    const read = await context.history.read({
      chain,
      pool,
      from: openedAt,
      to: Math.max(now, openedAt + 1),
      barSeconds,
      signal: context.signal,
    })
    return read.completeness.barsFound < read.completeness.barsExpected ? null : read
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** Every swap of the pool while the position stands, of one that is young enough for that; `null` where not all can be read. */
export async function swapsSince(
  { liquidity, signal }: Past,
  chain: Chain,
  { pool }: Pick<Position, 'pool'>,
  openedAt: number | null,
  now: number,
): Promise<readonly SwapRecord[] | null> {
  if (openedAt === null || now - openedAt > mostSecondsBySwaps) return null
  try {
    const { swaps, completeFrom } = await liquidity.swaps(chain, pool, openedAt, undefined, { signal })
    return completeFrom > openedAt ? null : swaps
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'CANCELLED') return null
    throw error
  }
}

const mostHours = 1_000
/** The swaps of longer lives would be too many; bars of an hour tell enough of those. */
const mostSecondsBySwaps = 7 * 86_400
