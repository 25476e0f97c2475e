import { LpMathError } from '../lp-math-error.ts'
import { tenToDecimals } from '../prices/prices.ts'
import type { TickLiquidity } from '../swaps/create-tick-cursor.ts'

/**
 * How much liquidity a pool has at each price, from its initialised ticks and the liquidity that is active at its tick. All that goes in is
 * the pool's own, in its order and in smallest units; what comes out counts in whole tokens, and in the order of the caller where
 * `inverted` says that it is the other. Liquidity that is left over past the outermost tick that was given is taken to go on for ever;
 * no ticks at all make a pool of one liquidity everywhere, as in v2.
 * @throws LpMathError `TICKS_UNSORTED`, `TICK_OUT_OF_RANGE` for a tick that is no integer, `LIQUIDITY_OUT_OF_RANGE` where the ticks
 * contradict the active liquidity, `DECIMALS_OUT_OF_RANGE`.
 */
export function liquidityProfile(options: LiquidityProfileOptions): LiquidityProfile {
  const { ticks, tick, inverted, decimals0, decimals1 } = options
  requireTicks(ticks, tick)
  const ten0 = Number(tenToDecimals(decimals0))
  const ten1 = Number(tenToDecimals(decimals1))
  const edges = [0, ...ticks.map((one) => (1.0001 ** one.tick * ten0) / ten1), Number.POSITIVE_INFINITY]
  const scale = Math.sqrt(ten0) * Math.sqrt(ten1)
  const liquidity = bandLiquidity(options).map((raw) => Number(raw) / scale)
  if (!inverted) return { edges: Float64Array.from(edges), liquidity: Float64Array.from(liquidity) }
  return {
    edges: Float64Array.from(edges.map((edge) => 1 / edge).reverse()),
    liquidity: Float64Array.from(liquidity.reverse()),
  }
}

/** A pool's initialised ticks and state, as {@link liquidityProfile} takes them. */
export type LiquidityProfileOptions = {
  /** The initialised ticks, rising. */
  readonly ticks: readonly TickLiquidity[]
  /** The tick that the pool is at. */
  readonly tick: number
  /** The liquidity that is active there. */
  readonly liquidity: bigint
  readonly decimals0: number
  readonly decimals1: number
  readonly inverted: boolean
}

/** Bands of prices and their liquidity; `liquidity[i]` lies between `edges[i]` and `edges[i + 1]`, which run from 0 to Infinity. */
export type LiquidityProfile = { readonly edges: Float64Array; readonly liquidity: Float64Array }

/** The band in which a price lies; the last one for Infinity. */
export function bandAt(edges: Float64Array, price: number): number {
  let [low, high] = [0, edges.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((edges[middle] ?? 0) <= price) low = middle
    else high = middle
  }
  return low
}

/** Band 0 lies below the first tick. */
function bandLiquidity({ ticks, tick, liquidity }: LiquidityProfileOptions): bigint[] {
  const current = ticks.filter((one) => one.tick <= tick).length
  const bands = Array.from({ length: ticks.length + 1 }, () => liquidity)
  for (let band = current + 1; band < bands.length; band += 1) {
    bands[band] = (bands[band - 1] ?? 0n) + (ticks[band - 1]?.liquidityNet ?? 0n)
  }
  for (let band = current - 1; band >= 0; band -= 1) {
    bands[band] = (bands[band + 1] ?? 0n) - (ticks[band]?.liquidityNet ?? 0n)
  }
  if (bands.some((one) => one < 0n)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'liquidity and ticks belong together: no band has less than none.')
  }
  return bands
}

function requireTicks(ticks: readonly TickLiquidity[], tick: number): void {
  if (!Number.isInteger(tick)) throw new LpMathError('TICK_OUT_OF_RANGE', 'tick is an integer.')
  let previous = Number.NEGATIVE_INFINITY
  for (const one of ticks) {
    if (!Number.isInteger(one.tick)) throw new LpMathError('TICK_OUT_OF_RANGE', 'Each of ticks is an integer.')
    if (one.tick <= previous) throw new LpMathError('TICKS_UNSORTED', 'The ticks are in rising order, each once.')
    previous = one.tick
  }
}
