import { feeGrowthFromSwaps, LpMathError, MAX_TICK, MIN_TICK, unpackProtocolFee } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import { lpFeeShare } from '../analytics/lp-fee-share.ts'
import type { BarGrid } from './bar-grid.ts'
import { tradedColumns, type ClosingState, type TradedBars } from './traded-bars.ts'
import { tickOfSqrtPrice } from './tick-of-sqrt-price.ts'

/**
 * The swaps of a pool (oldest first, none left out) as bars. Those before the grid only set the price it opens with; without one
 * the bars begin with the first swap in the grid, unless `opening` tells the state before it. A bar opens where the one before closed. Its liquidity is the mean of what its
 * swaps met, harmonic and weighted by their worth; its fee growth is that of a position over the whole range of prices, out of the
 * path of the price (see `feeGrowthFromSwaps`), with the protocol's part as it is today.
 */
export function barsOfSwaps(
  pool: Pool,
  swaps: readonly SwapRecord[],
  grid: BarGrid,
  opening: ClosingState | null = null,
): TradedBars {
  const { start, barSeconds } = grid
  const end = start + grid.count * barSeconds
  const firstInside = swaps.findIndex((swap) => swap.timestamp >= start)
  const earlier = (firstInside === -1 ? swaps : swaps.slice(0, firstInside)).at(-1) ?? opening
  const inside = firstInside === -1 ? [] : swaps.slice(firstInside).filter((swap) => swap.timestamp < end)
  const [first] = inside
  let last: ClosingState | null = earlier ?? first ?? null
  if (last === null) return tradedColumns({ ...grid, count: 0 })
  const skipped = earlier === null && first !== undefined ? Math.floor((first.timestamp - start) / barSeconds) : 0
  const traded = tradedColumns({ start: start + skipped * barSeconds, count: grid.count - skipped, barSeconds })
  let next = 0
  for (const [index, startsAt] of traded.bars.startsAt.entries()) {
    openBar(traded, index, last)
    const weights = { sum: 0, overLiquidity: 0 }
    for (let swap = inside[next]; swap !== undefined && swap.timestamp < startsAt + barSeconds; swap = inside[next]) {
      addSwap(traded, index, { pool, swap, before: next === 0 && earlier === null ? null : last }, weights)
      last = swap
      next += 1
    }
    if (weights.overLiquidity > 0) traded.bars.liquidity[index] = weights.sum / weights.overLiquidity
    traded.closing.push({ sqrtPriceX96: last.sqrtPriceX96, liquidity: last.liquidity })
  }
  return traded
}

function openBar({ bars }: TradedBars, index: number, last: ClosingState): void {
  const tick = tickOfSqrtPrice(last.sqrtPriceX96)
  for (const ticks of [bars.openTick, bars.lowTick, bars.highTick, bars.closeTick]) ticks[index] = tick
  bars.liquidity[index] = Number(last.liquidity)
}

type Step = { readonly pool: Pool; readonly swap: SwapRecord; readonly before: ClosingState | null }

function addSwap(traded: TradedBars, index: number, step: Step, weights: { sum: number; overLiquidity: number }): void {
  const { bars } = traded
  const { pool, swap } = step
  const zeroForOne = swap.amount0 > 0n
  const paid = Number(zeroForOne ? swap.amount0 : swap.amount1)
  const tick = tickOfSqrtPrice(swap.sqrtPriceX96)
  add(zeroForOne ? bars.amount0In : bars.amount1In, index, paid)
  bars.lowTick[index] = Math.min(bars.lowTick[index] ?? tick, tick)
  bars.highTick[index] = Math.max(bars.highTick[index] ?? tick, tick)
  bars.closeTick[index] = tick
  const share = (swap.fee / 1e6) * lpFeeShare(pool, swap.fee, zeroForOne)
  add(zeroForOne ? traded.fees0 : traded.fees1, index, paid * share)
  add(traded.trades, index, 1)
  const liquidity = Number(swap.liquidity)
  if (bars.feeGrowth !== null) {
    const grown = growthAlongPath(step) ?? (liquidity > 0 ? (paid * share) / liquidity : 0)
    add(zeroForOne ? bars.feeGrowth.token0 : bars.feeGrowth.token1, index, grown)
  }
  if (liquidity <= 0) return
  const worth = zeroForOne ? paid * 1.0001 ** tick : paid
  weights.sum += worth
  weights.overLiquidity += worth / liquidity
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
