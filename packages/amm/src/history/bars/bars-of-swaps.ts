import {
  barsFromSwapsInSteps,
  eachInSteps,
  feeGrowthFromSwapsInSteps,
  LpMathError,
  MAX_TICK,
  MIN_TICK,
  type TimedSwapLog,
  unpackProtocolFee,
} from '@svc/lp-math'
import type { Pool, SwapRecord } from '../../ports.ts'
import { lpFeeShare } from '../../liquidity/pools/pool-state.ts'
import { inTurns } from '@svc/runtime'
import { type BarGrid, tradedColumns, type ClosingState, type TradedBars } from './bar-columns.ts'

/**
 * The swaps of a pool (oldest first, none left out) as bars, see `barsFromSwaps`, with what they paid. Those before the grid only set
 * the price it opens with; without one the bars begin with the first swap in the grid, unless `opening` tells the state before it.
 * Fee growth is that of a position over the whole range of prices, out of the path of the price and bound by what was paid (see
 * `feeGrowthFromSwaps`), with the protocol's part as it is today; of a pair, and where one log does not fit to the one before, out of
 * the amounts. Made in many turns of the loop, also where all swaps fall into one bar.
 */
export function barsOfSwaps(
  pool: Pool,
  swaps: readonly SwapRecord[],
  grid: BarGrid,
  opening: ClosingState | null = null,
): Promise<TradedBars> {
  return inTurns(barsInSteps(pool, swaps, grid, opening))
}

type Log = TimedSwapLog & { readonly feePips: number }
type Traded = { readonly pool: Pool; readonly logs: readonly Log[]; readonly before: ClosingState | null }

function* barsInSteps(
  pool: Pool,
  swaps: readonly SwapRecord[],
  { start, count, barSeconds }: BarGrid,
  opening: ClosingState | null,
): Generator<number, TradedBars> {
  const endsAt = start + count * barSeconds
  const logs: Log[] = []
  const ofBars = new Map<number, Log[]>()
  let before = opening
  yield* eachInSteps(swaps, (swap) => {
    const { amount0, amount1, sqrtPriceX96, liquidity, fee, timestamp } = swap
    if (timestamp < start) before = swap
    if (timestamp < start || timestamp >= endsAt) return
    const log = { amount0, amount1, sqrtPriceX96After: sqrtPriceX96, liquidity, feePips: fee, timestamp }
    const bar = Math.floor((timestamp - start) / barSeconds)
    const ofBar = ofBars.get(bar) ?? []
    if (ofBar.push(log) === 1) ofBars.set(bar, ofBar)
    logs.push(log)
  })
  const [firstTraded = count] = ofBars.keys()
  const first = before === null ? firstTraded : 0
  const startsAt = start + first * barSeconds
  const traded = tradedColumns({ start: startsAt, count: count - first, barSeconds })
  if (first >= count) return traded
  const bars = yield* barsFromSwapsInSteps(logs, { barSeconds, startsAt, endsAt, ...(before && { start: before }) })
  let last = before
  for (const [bar, ofBar] of ofBars) {
    closeBars(traded, bar - first, last ?? stateAfter(ofBar[0]))
    yield* addFees(traded, bar - first, { pool, logs: ofBar, before: last })
    last = stateAfter(ofBar.at(-1))
  }
  closeBars(traded, count - first, last)
  const { feeGrowth } = traded.bars
  const liquidity = bars.liquidity.map((met, index) => liquidityPaid(traded, index, bars.closeTick[index]) ?? met)
  return { ...traded, bars: { ...bars, liquidity, feeGrowth } }
}

/** The bars before one ended at the state that was the last by then. */
function closeBars({ closing }: TradedBars, index: number, last: ClosingState | null): void {
  if (last === null) return
  const { sqrtPriceX96, liquidity } = last
  while (closing.length < index) closing.push({ sqrtPriceX96, liquidity })
}

function stateAfter(log: Log | undefined): ClosingState | null {
  return log === undefined ? null : { sqrtPriceX96: log.sqrtPriceX96After, liquidity: log.liquidity }
}

function* addFees(
  { bars, fees0, fees1, trades, bound }: TradedBars,
  index: number,
  traded: Traded,
): Generator<number, void> {
  yield* eachInSteps(traded.logs, (log) => {
    const fees = log.amount0 > 0n ? fees0 : fees1
    fees[index] = (fees[index] ?? 0) + feeOf(traded.pool, log)
  })
  trades[index] = traded.logs.length
  const { growth, boundSwaps } = (yield* growthAlongPath(traded)) ?? (yield* growthOfAmounts(traded))
  bound[index] = boundSwaps
  if (bars.feeGrowth === null) return
  bars.feeGrowth.token0[index] = growth[0]
  bars.feeGrowth.token1[index] = growth[1]
}

type Growth = { readonly growth: readonly [token0: number, token1: number]; readonly boundSwaps: number }

/** Null for a pair, whose growth is even, and where the logs do not fit together. */
function* growthAlongPath({ pool, logs, before }: Traded): Generator<number, Growth | null> {
  if (pool.version === 'v2' || before === null) return null
  try {
    const { growth0X128, growth1X128, boundSwaps } = yield* feeGrowthFromSwapsInSteps({
      start: before,
      swaps: logs,
      feePips: pool.fee,
      protocolFee: unpackProtocolFee(pool.version, pool.protocolFee),
      tickLower: MIN_TICK,
      tickUpper: MAX_TICK,
      boundByInput: true,
    })
    return { growth: [Number(growth0X128) / 2 ** 128, Number(growth1X128) / 2 ** 128], boundSwaps: boundSwaps ?? 0 }
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

function* growthOfAmounts({ pool, logs }: Traded): Generator<number, Growth> {
  let deepest = 0
  yield* eachInSteps(logs, ({ liquidity }) => (deepest = Math.max(deepest, Number(liquidity))))
  const growth: [number, number] = [0, 0]
  yield* eachInSteps(logs, (log) => {
    const liquidity = Number(log.liquidity)
    const met = liquidity * 1_000 < deepest ? deepest : liquidity
    if (met > 0) growth[log.amount0 > 0n ? 0 : 1] += feeOf(pool, log) / met
  })
  return { growth, boundSwaps: 0 }
}

/** What a swap paid to liquidity providers, in smallest units of what came in. */
function feeOf(pool: Pool, { amount0, amount1, feePips }: Log): number {
  const zeroForOne = amount0 > 0n
  return Number(zeroForOne ? amount0 : amount1) * (feePips / 1e6) * lpFeeShare(pool, feePips, zeroForOne)
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
