import { feeGrowthFromSwaps, type FeeGrowthFromSwapsOptions, type SwapLog } from '../fees/fee-growth-from-swaps.ts'
import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK, MIN_TICK } from '../ticks/tick-bounds.ts'
import type { Bars } from './bars.ts'
import { type BarRow, barsFromRows } from './bars-from-rows.ts'

/**
 * Bars from every Swap log of a pool in a span of time, in the order of the chain. A bar opens at the price before its first swap, so
 * that its low and high hold all of the way. Liquidity is the harmonic mean weighted by what was traded. With `feePips` the bars
 * carry fee growth, from the price path and bound by what was paid (see `feeGrowthFromSwaps`).
 * @throws LpMathError `BARS_MALFORMED` for swaps out of order or outside the span, `SWAP_LOGS_INCONSISTENT`, `FEE_OUT_OF_RANGE`.
 */
export function barsFromSwaps(swaps: readonly TimedSwapLog[], options: BarsFromSwapsOptions): Bars {
  const { barSeconds, startsAt, endsAt } = options
  const count = Math.round((endsAt - startsAt) / barSeconds)
  if (!(barSeconds > 0) || !(count >= 1) || Math.abs(startsAt + count * barSeconds - endsAt) > 1e-6 * barSeconds) {
    throw new LpMathError('BARS_MALFORMED', 'endsAt lies a whole number of bars of barSeconds after startsAt.')
  }
  const groups = groupByBar(swaps, options)
  let state = options.start ?? stateAfter(swaps[0])
  if (state === undefined) throw new LpMathError('BARS_MALFORMED', 'swaps holds a swap where start is not given.')
  // Told as well: the ends of the span, and the bar after a swap, which stands at the last liquidity and not at a mean.
  for (const bar of [0, count - 1, ...Array.from(groups.keys(), (traded) => traded + 1)]) {
    if (bar < count && !groups.has(bar)) groups.set(bar, [])
  }
  const rows: BarRow[] = []
  for (const bar of [...groups.keys()].toSorted((one, other) => one - other)) {
    const traded = groups.get(bar) ?? []
    rows.push(rowOf(traded, state, startsAt + bar * barSeconds, options))
    state = stateAfter(traded.at(-1)) ?? state
  }
  return barsFromRows(rows, barSeconds).bars
}

/** A Swap log seen from the pool (positive came in) and the time of its block, in seconds since 1970. */
export type TimedSwapLog = SwapLog & { timestamp: number }

/**
 * `endsAt` is the end of the last bar. `start` is the pool before the first swap; without it that swap counts as one that did not move
 * the price. `feePips` is the whole fee, for pools whose logs do not carry it.
 */
export type BarsFromSwapsOptions = Partial<Pick<FeeGrowthFromSwapsOptions, 'feePips' | 'protocolFee'>> & {
  barSeconds: number
  startsAt: number
  endsAt: number
  start?: PoolState
}

type PoolState = { sqrtPriceX96: bigint; liquidity: bigint }

const LN_TICK = Math.log(1.0001)

function groupByBar(swaps: readonly TimedSwapLog[], options: BarsFromSwapsOptions): Map<number, TimedSwapLog[]> {
  const groups = new Map<number, TimedSwapLog[]>()
  let before = options.startsAt
  for (const [index, swap] of swaps.entries()) {
    if (!(swap.timestamp >= before && swap.timestamp < options.endsAt)) {
      throw new LpMathError(
        'BARS_MALFORMED',
        `swaps[${index}].timestamp is within the span and not before the swap ahead of it.`,
      )
    }
    before = swap.timestamp
    const bar = Math.floor((swap.timestamp - options.startsAt) / options.barSeconds)
    const group = groups.get(bar)
    if (group === undefined) groups.set(bar, [swap])
    else group.push(swap)
  }
  return groups
}

function rowOf(
  swaps: readonly TimedSwapLog[],
  start: PoolState,
  startsAt: number,
  options: BarsFromSwapsOptions,
): BarRow {
  const openTick = fractionalTick(start.sqrtPriceX96)
  const ticks = swaps.map((swap) => fractionalTick(swap.sqrtPriceX96After))
  return {
    startsAt,
    openTick,
    lowTick: ticks.reduce((low, tick) => Math.min(low, tick), openTick),
    highTick: ticks.reduce((high, tick) => Math.max(high, tick), openTick),
    closeTick: ticks.at(-1) ?? openTick,
    amount0In: Number(sumOfInputs(swaps.map(({ amount0 }) => amount0))),
    amount1In: Number(sumOfInputs(swaps.map(({ amount1 }) => amount1))),
    liquidity: tradedLiquidity(swaps) ?? Number(start.liquidity),
    ...feeGrowthOf(swaps, start, options),
  }
}

function feeGrowthOf(
  swaps: readonly SwapLog[],
  start: PoolState,
  { feePips, protocolFee }: BarsFromSwapsOptions,
): { feeGrowth0: number; feeGrowth1: number } | undefined {
  if (feePips === undefined) return undefined
  const range = { tickLower: MIN_TICK, tickUpper: MAX_TICK, boundByInput: true }
  const grown = feeGrowthFromSwaps({ swaps, start, feePips, ...(protocolFee && { protocolFee }), ...range })
  return { feeGrowth0: Number(grown.growth0X128) * 2 ** -128, feeGrowth1: Number(grown.growth1X128) * 2 ** -128 }
}

function tradedLiquidity(swaps: readonly TimedSwapLog[]): number | undefined {
  let traded = 0
  let tradedPerLiquidity = 0
  for (const swap of swaps) {
    if (swap.liquidity <= 0n) continue
    const sqrtPrice = Number(swap.sqrtPriceX96After) * 2 ** -96
    const volume1 = swap.amount1 > 0n ? Number(swap.amount1) : Math.max(0, Number(swap.amount0)) * sqrtPrice * sqrtPrice
    traded += volume1
    tradedPerLiquidity += volume1 / Number(swap.liquidity)
  }
  const last = swaps.at(-1)
  if (tradedPerLiquidity > 0) return traded / tradedPerLiquidity
  return last === undefined ? undefined : Number(last.liquidity)
}

function sumOfInputs(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => (amount > 0n ? sum + amount : sum), 0n)
}

function stateAfter(swap: SwapLog | undefined): PoolState | undefined {
  return swap && { ...priceAfter(swap), liquidity: swap.liquidity }
}

function priceAfter(swap: SwapLog): { sqrtPriceX96: bigint } {
  return { sqrtPriceX96: swap.sqrtPriceX96After }
}

function fractionalTick(sqrtPriceX96: bigint): number {
  return Math.min(MAX_TICK, Math.max(MIN_TICK, (2 * Math.log(Number(sqrtPriceX96) * 2 ** -96)) / LN_TICK))
}
