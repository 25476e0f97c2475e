import { barsFromSwaps, feeGrowthFromSwaps, LpMathError, MAX_TICK, MIN_TICK, unpackProtocolFee } from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import { lpFeeShare } from '../analytics/lp-fee-share.ts'
import type { BarGrid } from './bar-grid.ts'
import { tradedColumns, type ClosingState, type TradedBars } from './traded-bars.ts'

/**
 * The swaps of a pool (oldest first, none left out) as bars, see `barsFromSwaps`, with what they paid. Those before the grid only set
 * the price it opens with; without one the bars begin with the first swap in the grid, unless `opening` tells the state before it.
 * Fee growth is that of a position over the whole range of prices, out of the path of the price and bound by what was paid (see
 * `feeGrowthFromSwaps`), with the protocol's part as it is today; of a pair, and where one log does not fit to the one before, out of
 * the amounts.
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
  if (traded.bars.startsAt.length === 0) return traded
  const logs = inside.map((swap) => Object.assign({ sqrtPriceX96After: swap.sqrtPriceX96 }, swap))
  const groups = new Map<number, Log[]>()
  for (const log of logs) {
    const index = Math.floor((log.timestamp - from) / barSeconds)
    const group = groups.get(index)
    if (group === undefined) groups.set(index, [log])
    else group.push(log)
  }
  let last: ClosingState | null = before
  for (const [index, swaps] of groups) {
    closeBars(traded, index, last ?? swaps[0] ?? null)
    addFees(traded, index, { pool, swaps, before: last })
    last = swaps.at(-1) ?? last
  }
  closeBars(traded, traded.bars.startsAt.length, last)
  const bars = barsFromSwaps(logs, { barSeconds, startsAt: from, endsAt, ...(before && { start: before }) })
  const { feeGrowth } = traded.bars
  const liquidity = bars.liquidity.map(
    (traded0, index) => liquidityPaid(traded, index, bars.closeTick[index]) ?? traded0,
  )
  return { ...traded, bars: { ...bars, liquidity, feeGrowth } }
}

/** The bars before one ended at the state that was the last by then. */
function closeBars({ closing }: TradedBars, index: number, last: ClosingState | null): void {
  if (last === null) return
  const { sqrtPriceX96, liquidity } = last
  while (closing.length < index) closing.push({ sqrtPriceX96, liquidity })
}

type Log = SwapRecord & { readonly sqrtPriceX96After: bigint }
type Traded = { readonly pool: Pool; readonly swaps: readonly Log[]; readonly before: ClosingState | null }

function addFees({ bars, fees0, fees1, trades, bound }: TradedBars, index: number, traded: Traded): void {
  const { pool, swaps } = traded
  const deepest = swaps.reduce((most, { liquidity }) => Math.max(most, Number(liquidity)), 0)
  let growth: readonly [number, number] = [0, 0]
  for (const swap of swaps) {
    const zeroForOne = swap.amount0 > 0n
    const paid = Number(zeroForOne ? swap.amount0 : swap.amount1)
    const fee = paid * (swap.fee / 1e6) * lpFeeShare(pool, swap.fee, zeroForOne)
    const met = Number(swap.liquidity) * 1_000 < deepest ? deepest : Number(swap.liquidity)
    const grown = met > 0 ? fee / met : 0
    growth = zeroForOne ? [growth[0] + grown, growth[1]] : [growth[0], growth[1] + grown]
    add(zeroForOne ? fees0 : fees1, index, fee)
    add(trades, index, 1)
  }
  const path = growthAlongPath(traded)
  if (path !== null) growth = path.growth
  add(bound, index, path?.boundSwaps ?? 0)
  if (bars.feeGrowth === null) return
  add(bars.feeGrowth.token0, index, growth[0])
  add(bars.feeGrowth.token1, index, growth[1])
}

/** Null for a pair, whose growth is even, and where the logs do not fit together. */
function growthAlongPath({ pool, swaps, before }: Traded) {
  if (pool.version === 'v2' || before === null) return null
  try {
    const { growth0X128, growth1X128, boundSwaps } = feeGrowthFromSwaps({
      start: before,
      swaps: swaps.map((swap) => Object.assign({ feePips: swap.fee }, swap)),
      feePips: pool.fee,
      protocolFee: unpackProtocolFee(pool.version, pool.protocolFee),
      tickLower: MIN_TICK,
      tickUpper: MAX_TICK,
      boundByInput: true,
    })
    const growth = [Number(growth0X128) / 2 ** 128, Number(growth1X128) / 2 ** 128] as const
    return { growth, boundSwaps: boundSwaps ?? 0 }
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

/**
 * The liquidity that the fees of a bar were paid to: with it, growth times liquidity is what was paid in, at the price it closed at.
 * Null where nothing was.
 */
function liquidityPaid({ bars, fees0, fees1 }: TradedBars, index: number, closeTick = 0): number | null {
  const price = 1.0001 ** closeTick
  const grown = (bars.feeGrowth?.token0[index] ?? 0) * price + (bars.feeGrowth?.token1[index] ?? 0)
  const paid = (fees0[index] ?? 0) * price + (fees1[index] ?? 0)
  return grown > 0 && paid > 0 ? paid / grown : null
}

function add(column: Float64Array, index: number, amount: number): void {
  column[index] = (column[index] ?? 0) + amount
}
