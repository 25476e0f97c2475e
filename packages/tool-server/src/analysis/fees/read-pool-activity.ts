import { formatAmount, LpMathError } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Pool, type SwapHistory, type SwapRecord, ToolError, type UsdPrice } from '@svc/amm'
import type { Ports } from '../../ports.ts'
import { lpFeeShare, type PoolAmounts, readPoolAmounts } from '@svc/amm/liquidity'
import { sumUsd, valueUsd } from '../value-usd.ts'

/**
 * Size and trading of a pool from the chain alone: value held, volume of the last day and week out of swap logs, and what
 * that trading paid to liquidity providers, as percent of the value held a year (365 days, protocol's part taken out).
 * Volume counts one side of each swap at today's price, the dollar side where there is one. `nowMs` is Unix milliseconds.
 * What the chain or the endpoint does not give is null, and `notes` says so; so is the trading with `withTrading` false, for
 * reading its logs is by far the most work.
 */
export async function readPoolActivity(
  ports: Pick<Ports, 'rpc' | 'liquidity' | 'prices'>,
  chain: Chain,
  pool: Pool,
  nowMs: number,
  { withTrading = true }: { readonly withTrading?: boolean } = {},
): Promise<PoolActivity> {
  const now = Math.floor(nowMs / 1000)
  const [price0, price1, amounts, history] = await Promise.all([
    ports.prices.usd(chain, pool.token0),
    ports.prices.usd(chain, pool.token1),
    readAmounts(ports, chain, pool),
    withTrading ? readHistory(ports, chain, pool, now - 7 * daySeconds) : null,
  ])
  const tvlUsd =
    amounts === null
      ? null
      : sumUsd(valueUsd(amounts.amount0, pool.token0, price0), valueUsd(amounts.amount1, pool.token1, price1))
  const side = countedSide(pool, price0, price1)
  const day = windowOf(history, pool, side, now - daySeconds)
  const week = windowOf(history, pool, side, now - 7 * daySeconds)
  return {
    tvlUsd,
    isContradictory: amounts === null,
    volume24hUsd: day?.volumeUsd ?? null,
    volume7dUsd: week?.volumeUsd ?? null,
    feeApr24h: aprOf(day, tvlUsd, 1),
    feeApr7d: aprOf(week, tvlUsd, 7),
    notes: [
      ...(amounts === null
        ? ['What this pool holds is not known: its ticks and its liquidity contradict each other.']
        : []),
      ...(side === null || (amounts !== null && tvlUsd === null)
        ? ['A token of this pool has no trustworthy USD price.']
        : []),
      ...(history === null && withTrading
        ? ['The endpoint did not give the swap logs of this pool.']
        : history === null || history.complete
          ? []
          : [`Swap logs are complete from ${new Date(history.completeFrom * 1000).toISOString()} on.`]),
    ],
  }
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

type Side = { readonly index: 0 | 1; readonly price: UsdPrice; readonly decimals: number }
type Window = { readonly volumeUsd: number; readonly feesUsd: number }

const daySeconds = 86_400

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

async function readHistory(
  ports: Pick<Ports, 'liquidity'>,
  chain: Chain,
  pool: Pool,
  from: number,
): Promise<SwapHistory | null> {
  try {
    return await ports.liquidity.swaps(chain, pool, from)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

function countedSide(pool: Pool, price0: UsdPrice | null, price1: UsdPrice | null): Side | null {
  const side0 = price0 === null ? null : { index: 0 as const, price: price0, decimals: pool.token0.decimals }
  const side1 = price1 === null ? null : { index: 1 as const, price: price1, decimals: pool.token1.decimals }
  return (pool.token0.usdPegged ? side0 : null) ?? (pool.token1.usdPegged ? side1 : null) ?? side0 ?? side1
}

function windowOf(history: SwapHistory | null, pool: Pool, side: Side | null, from: number): Window | null {
  if (history === null || side === null || history.completeFrom > from) return null
  let volumeUsd = 0
  let feesUsd = 0
  for (const swap of history.swaps) {
    if (swap.timestamp < from) continue
    const worth = worthOf(swap, side)
    volumeUsd += worth
    feesUsd += ((worth * swap.fee) / 1e6) * lpFeeShare(pool, swap.fee, swap.amount0 > 0n)
  }
  return { volumeUsd: Math.round(volumeUsd * 1e6) / 1e6, feesUsd }
}

function worthOf(swap: SwapRecord, side: Side): number {
  const amount = side.index === 0 ? swap.amount0 : swap.amount1
  return Number(formatAmount(amount < 0n ? -amount : amount, side.decimals)) * side.price.usd
}

function aprOf(window: Window | null, tvlUsd: number | null, days: number): number | null {
  if (window === null || tvlUsd === null || tvlUsd === 0) return null
  return Math.round((window.feesUsd / tvlUsd) * (365 / days) * 1e6) / 1e4
}
