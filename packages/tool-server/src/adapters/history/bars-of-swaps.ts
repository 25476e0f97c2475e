import { barsFromSwaps, feeGrowthFromSwaps, LpMathError, MAX_TICK, MIN_TICK, unpackProtocolFee } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import { lpFeeShare } from '../analytics/lp-fee-share.ts'
import type { BarGrid } from './bar-grid.ts'
import { tradedColumns, type ClosingState, type TradedBars } from './traded-bars.ts'

/**
 * The swaps of a pool (oldest first, none left out) as bars, see `barsFromSwaps`, with what they paid. Those before the grid only set
 * the price it opens with; without one the bars begin with the first swap in the grid, unless `opening` tells the state before it.
 * Fee growth is that of a position over the whole range of prices, out of the path of the price (see `feeGrowthFromSwaps`), with the
 * protocol's part as it is today; of a pair, and where one log does not fit to the one before, out of the amounts.
 */
export function barsOfSwaps(
  pool: Pool,
  swaps: readonly SwapRecord[],
  grid: BarGrid,
  opening: ClosingState | null = null,
): TradedBars {
  const { start, barSeconds } = grid
  const endsAt = start + grid.count * barSeconds
  const inside = swaps.filter(({ timestamp }) => timestamp >= start && timestamp < endsAt)
  const before: ClosingState | null = swaps.findLast(({ timestamp }) => timestamp < start) ?? opening
  const from = before === null ? Math.floor((inside[0]?.timestamp ?? endsAt) / barSeconds) * barSeconds : start
  const traded = tradedColumns({
    start: from,
    count: Math.max(0, Math.round((endsAt - from) / barSeconds)),
    barSeconds,
  })
  const { feeGrowth } = traded.bars
  if (traded.bars.startsAt.length === 0) return traded
  let last = before
  for (const swap of inside) {
    const index = Math.floor((swap.timestamp - from) / barSeconds)
    addFees(traded, index, { pool, swap, before: last })
    closeBars(traded, index, last ?? swap)
    last = swap
  }
  closeBars(traded, traded.bars.startsAt.length, last)
  const logs = inside.map((swap) => Object.assign({ sqrtPriceX96After: swap.sqrtPriceX96 }, swap))
  const bars = barsFromSwaps(logs, { barSeconds, startsAt: from, endsAt, ...(before && { start: before }) })
  return { ...traded, bars: { ...bars, feeGrowth } }
}

/** The bars before one ended at the state that was the last by then. */
function closeBars({ closing }: TradedBars, index: number, last: ClosingState | null): void {
  if (last === null) return
  const { sqrtPriceX96, liquidity } = last
  while (closing.length < index) closing.push({ sqrtPriceX96, liquidity })
}

type Step = { readonly pool: Pool; readonly swap: SwapRecord; readonly before: ClosingState | null }

function addFees({ bars, fees0, fees1, trades }: TradedBars, index: number, step: Step): void {
  const { pool, swap } = step
  const zeroForOne = swap.amount0 > 0n
  const paid = Number(zeroForOne ? swap.amount0 : swap.amount1)
  const fee = paid * (swap.fee / 1e6) * lpFeeShare(pool, swap.fee, zeroForOne)
  const liquidity = Number(swap.liquidity)
  const grown = growthAlongPath(step) ?? (liquidity > 0 ? fee / liquidity : 0)
  const growth = zeroForOne ? bars.feeGrowth?.token0 : bars.feeGrowth?.token1
  add(zeroForOne ? fees0 : fees1, index, fee)
  add(trades, index, 1)
  if (growth !== undefined) add(growth, index, grown)
}

/** Null for a pair, whose growth is even, and where the logs do not fit together. */
function growthAlongPath({ pool, swap, before }: Step): number | null {
  if (pool.version === 'v2' || before === null) return null
  try {
    const { growth0X128, growth1X128 } = feeGrowthFromSwaps({
      start: before,
      swaps: [{ ...swap, sqrtPriceX96After: swap.sqrtPriceX96, feePips: swap.fee }],
      feePips: swap.fee,
      protocolFee: unpackProtocolFee(pool.version, pool.protocolFee),
      tickLower: MIN_TICK,
      tickUpper: MAX_TICK,
    })
    return Number(growth0X128 + growth1X128) / 2 ** 128
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

function add(column: Float64Array, index: number, amount: number): void {
  column[index] = (column[index] ?? 0) + amount
}
