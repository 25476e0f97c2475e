import { setMaxListeners } from 'node:events'
import { LpMathError } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Pool, type PoolBars, ToolError } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import { type PoolAmounts, readPoolAmounts } from '@svc/amm/liquidity'
import { sumUsd, valueUsd } from '../value-usd.ts'

/**
 * Size and trading of a pool: value held, volume of the last day and week, and what that trading paid to liquidity providers, as
 * percent of the value held a year (365 days, protocol's part taken out). Trading is counted as `history` counts it, hour by
 * hour: what went in, at the prices of each hour; of the hour in which the day or the week begins its later part counts. `nowMs` is Unix
 * milliseconds. What no source gives is null, and `notes` says so; so is what lies beyond `tradingDays`, for
 * reading trades is by far the most work.
 */
export async function readPoolActivity(
  ports: ActivityPorts,
  chain: Chain,
  pool: Pool,
  nowMs: number,
  { tradingDays = 7 }: { readonly tradingDays?: 0 | 1 | 7 } = {},
): Promise<PoolActivity> {
  const now = Math.floor(nowMs / 1000)
  const [price0, price1, amounts, traded] = await Promise.all([
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
    readAmounts(ports, chain, pool),
    tradingDays === 0 ? unread : readTrading(ports, { chain, pool, now, days: tradingDays }),
  ])
  const tvlUsd =
    amounts === null
      ? null
      : sumUsd(valueUsd(amounts.amount0, pool.token0, price0), valueUsd(amounts.amount1, pool.token1, price1))
  const isUnpriced = (price0 === null && price1 === null) || (amounts !== null && tvlUsd === null)
  return {
    tvlUsd,
    isContradictory: amounts === null,
    ...tradingFigures(traded, tvlUsd),
    notes: [
      ...(amounts === null
        ? ['What this pool holds is not known: its ticks and its liquidity contradict each other.']
        : []),
      ...(isUnpriced ? ['A token of this pool has no trustworthy USD price.'] : []),
      ...(traded.note === null ? [] : [traded.note]),
    ],
  }
}

/** What `readPoolActivity` says of the last day of a pool, of which it is known or being read what it holds. `nowMs` is Unix milliseconds. */
export async function readLastDay(
  ports: ActivityPorts,
  { chain, pool, size, nowMs }: { chain: Chain; pool: Pool; size: PoolSize | Promise<PoolSize>; nowMs: number },
): Promise<Pick<PoolActivity, 'volume24hUsd' | 'feeApr24h'>> {
  const [traded, { tvlUsd }] = await Promise.all([
    readTrading(ports, { chain, pool, now: Math.floor(nowMs / 1000), days: 1 }),
    size,
  ])
  const { volume24hUsd, feeApr24h } = tradingFigures(traded, tvlUsd)
  return { volume24hUsd, feeApr24h }
}

/**
 * The same ports for reading the trading of many pools beside what an answer is for: what is not there after eight seconds, or
 * `figuresWithinMs`, is left out. Busy pools have very many logs.
 */
export function inTime<Ports extends { readonly signal: AbortSignal; readonly figuresWithinMs?: number | undefined }>(
  ports: Ports,
): Ports {
  const { signal, figuresWithinMs = 8_000 } = ports
  const ending = AbortSignal.any([signal, AbortSignal.timeout(figuresWithinMs)])
  // As many reads listen as there are pools.
  setMaxListeners(0, ending)
  return { ...ports, signal: ending }
}

type ActivityPorts = Pick<Ports, 'rpc' | 'liquidity' | 'prices' | 'history'> & {
  readonly signal?: AbortSignal | undefined
}

export type PoolActivity = {
  readonly tvlUsd: number | null
  /** Whether the ticks of the pool cannot be with its liquidity; then nobody knows what it holds. */
  readonly isContradictory: boolean
  readonly volume24hUsd: number | null
  readonly volume7dUsd: number | null
  readonly feeApr24h: number | null
  readonly feeApr7d: number | null
  readonly notes: readonly string[]
}

type PoolSize = Pick<PoolActivity, 'tvlUsd'>

type Window = { readonly volumeUsd: number; readonly feesUsd: number }

/** What is known of day and week, and why not the rest. */
type Trading = { readonly day: Window | null; readonly week: Window | null; readonly note: string | null }

const notGiven = 'The endpoint did not give the swap logs of this pool.'
const unread: Trading = { day: null, week: null, note: null }

type TradingRequest = { readonly chain: Chain; readonly pool: Pool; readonly now: number; readonly days: 1 | 7 }

const estimateNote =
  'Swap logs do not reach a week back: before them volume and fees are estimates from the fees that the pool counted.'
const daySeconds = 86_400
const hourSeconds = 3_600

/** `null` where the liquidity of the pool and that of its ticks cannot both be: one such pool must not end the reading of many. */
async function readAmounts(
  ports: Pick<Ports, 'rpc' | 'liquidity'>,
  chain: Chain,
  pool: Pool,
): Promise<PoolAmounts | null> {
  try {
    return await readPoolAmounts(ports, chain, pool)
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

/** Where the week is not known to its beginning, the day may be. */
async function readTrading(ports: ActivityPorts, { chain, pool, now, days }: TradingRequest): Promise<Trading> {
  const since = (length: number) => now - length * daySeconds
  const read = async (length: number): Promise<PoolBars | null> => {
    const period = { from: since(length), to: now, barSeconds: hourSeconds }
    try {
      return await ports.history.read({ chain, pool, ...period, signal: ports.signal })
    } catch (error) {
      if (error instanceof ToolError) return null
      throw error
    }
  }
  const all = await read(days)
  if (all === null) {
    const note = ports.signal?.aborted === true ? 'Trading left out to answer in time; get_pool_info has it.' : notGiven
    return { day: null, week: null, note }
  }
  const week = days === 7 ? windowOf(all, since(7)) : null
  const day = windowOf(all.completeness.hasAllTrades || days === 1 ? all : await read(1), since(1))
  const estimate = all.source === 'archive' ? estimateNote : null
  return {
    day,
    week,
    note: all.completeness.hasAllTrades ? estimate : (all.completeness.note ?? 'Trades are missing.'),
  }
}

function windowOf(past: PoolBars | null, from: number): Window | null {
  if (past === null || !past.completeness.hasAllTrades) return null
  const { volumeUsd, feesUsd } = past.figures
  const parts = past.bars.startsAt.map((start) => Math.min(1, Math.max(0, (start + hourSeconds - from) / hourSeconds)))
  const [volume, fees] = [volumeUsd, feesUsd].map((column) =>
    column === null ? Number.NaN : column.reduce((sum, usd, bar) => sum + usd * (parts[bar] ?? 0), 0),
  )
  if (volume === undefined || fees === undefined || Number.isNaN(volume) || Number.isNaN(fees)) return null
  return { volumeUsd: Math.round(volume * 1e6) / 1e6, feesUsd: fees }
}

function tradingFigures({ day, week }: Trading, tvlUsd: number | null) {
  return {
    volume24hUsd: day?.volumeUsd ?? null,
    volume7dUsd: week?.volumeUsd ?? null,
    feeApr24h: aprOf(day, tvlUsd, 1),
    feeApr7d: aprOf(week, tvlUsd, 7),
  }
}

function aprOf(window: Window | null, tvlUsd: number | null, days: number): number | null {
  if (window === null || tvlUsd === null || tvlUsd === 0) return null
  return Math.round((window.feesUsd / tvlUsd) * (365 / days) * 1e6) / 1e4
}
