import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK, MIN_TICK } from '../ticks/ticks.ts'
import { type Bars, createBars } from './bars.ts'
import { feeGrowthFromSwapsInSteps, type FeeGrowthFromSwapsOptions, type SwapLog } from '../fees/fees.ts'
import { eachInSteps, inOneGo } from '../steps/each-in-steps.ts'

/**
 * Bars from rows as a source tells them: oldest first, on one grid of `barSeconds` that the first row begins, holes allowed. A hole
 * becomes bars without a trade at the close and liquidity before it, but above a year it is refused. Where a row's open or close lies outside its low and high, as
 * sources that round them apart have it, the span is widened to hold both. Both repairs are counted.
 * @throws LpMathError `BARS_MALFORMED`, naming the row and the field.
 */
export function barsFromRows(rows: readonly BarRow[], barSeconds: number): BarsFromRows {
  if (!Number.isFinite(barSeconds) || barSeconds <= 0) throw malformed('barSeconds is a finite number above 0.')
  const first = rows[0]
  const last = rows.at(-1)
  if (first === undefined || last === undefined) throw malformed('rows holds at least one row.')
  requireRising(rows)
  const positions = rows.map((row, index) => positionOf(row, index, first.startsAt, barSeconds))
  requireNoYearWithout(positions, barSeconds)
  const count = (positions.at(-1) ?? 0) + 1
  if (count > MOST_BARS) throw malformed(`rows span more than ${MOST_BARS} bars.`)
  const withFeeGrowth = first.feeGrowth0 !== undefined
  const bars = createBars(count, barSeconds, first.startsAt, withFeeGrowth)
  let widenedBars = 0
  for (const [index, row] of rows.entries()) {
    const from = positions[index] ?? 0
    if (copyRow(bars, from, row, `rows[${index}]`)) widenedBars += 1
    for (let bar = from + 1; bar < (positions[index + 1] ?? count); bar++) stand(bars, bar, row)
  }
  return { bars, filledBars: count - rows.length, widenedBars }
}

/** One bar as a source tells it. Units as in `Bars`; fee growth in all rows or in none. */
export type BarRow = {
  readonly startsAt: number
  readonly openTick: number
  readonly lowTick: number
  readonly highTick: number
  readonly closeTick: number
  readonly amount0In: number
  readonly amount1In: number
  readonly liquidity: number
  readonly feeGrowth0?: number
  readonly feeGrowth1?: number
}

/** `filledBars` stand in holes of the rows; `widenedBars` had an open or a close outside their low and high. */
export type BarsFromRows = { readonly bars: Bars; readonly filledBars: number; readonly widenedBars: number }

/** Nineteen years of minutes: beyond that a time is wrong rather than far away. */
const MOST_BARS = 10_000_000
const SECONDS_OF_YEAR = 365 * 86_400

function positionOf(row: BarRow, index: number, origin: number, barSeconds: number): number {
  const position = Math.round((row.startsAt - origin) / barSeconds)
  if (!(Math.abs(origin + position * barSeconds - row.startsAt) <= 1e-6 * barSeconds)) {
    throw malformed(`rows[${index}].startsAt is a whole number of bars of ${barSeconds} s after the first row.`)
  }
  return position
}

function requireRising(rows: readonly BarRow[]): void {
  for (let index = 1; index < rows.length; index++) {
    if (!((rows[index]?.startsAt ?? 0) > (rows[index - 1]?.startsAt ?? 0))) {
      throw malformed(`rows[${index}].startsAt is not later than that of the row before it: rows stand oldest first.`)
    }
  }
}

function requireNoYearWithout(positions: readonly number[], barSeconds: number): void {
  for (let index = 1; index < positions.length; index++) {
    if (((positions[index] ?? 0) - (positions[index - 1] ?? 0) - 1) * barSeconds > SECONDS_OF_YEAR) {
      throw malformed(`rows[${index}].startsAt is at most a year after the row before it.`)
    }
  }
}

function copyRow(bars: Bars, bar: number, row: BarRow, name: string): boolean {
  checkFields(row, name)
  const ends = [row.openTick, row.closeTick]
  if (row.lowTick > row.highTick) throw malformed(`${name}.lowTick is not above highTick.`)
  if ((row.feeGrowth0 === undefined) !== (bars.feeGrowth === null)) {
    throw malformed(`${name}.feeGrowth0 is in all rows or in none.`)
  }
  if ((row.feeGrowth0 === undefined) !== (row.feeGrowth1 === undefined)) {
    throw malformed(`${name}.feeGrowth1 is given when feeGrowth0 is.`)
  }
  bars.openTick[bar] = row.openTick
  bars.lowTick[bar] = Math.min(row.lowTick, ...ends)
  bars.highTick[bar] = Math.max(row.highTick, ...ends)
  bars.closeTick[bar] = row.closeTick
  bars.amount0In[bar] = row.amount0In
  bars.amount1In[bar] = row.amount1In
  bars.liquidity[bar] = row.liquidity
  if (bars.feeGrowth !== null) {
    bars.feeGrowth.token0[bar] = row.feeGrowth0 ?? 0
    bars.feeGrowth.token1[bar] = row.feeGrowth1 ?? 0
  }
  return Math.min(...ends) < row.lowTick || Math.max(...ends) > row.highTick
}

function checkFields(row: BarRow, name: string): void {
  for (const [field, value] of Object.entries(row)) {
    if (field.endsWith('Tick')) {
      if (!(value >= MIN_TICK && value <= MAX_TICK))
        throw malformed(`${name}.${field} is within ${MIN_TICK} and ${MAX_TICK}.`)
    } else if (!(value >= 0 && value < Infinity)) throw malformed(`${name}.${field} is finite and at least 0.`)
  }
}

/** A bar in which nothing happened after `row`. */
function stand(bars: Bars, bar: number, row: BarRow): void {
  for (const ticks of [bars.openTick, bars.lowTick, bars.highTick, bars.closeTick]) ticks[bar] = row.closeTick
  bars.liquidity[bar] = row.liquidity
}

function malformed(message: string): LpMathError {
  return new LpMathError('BARS_MALFORMED', message)
}

/**
 * Bars from every Swap log of a pool in a span of time, in the order of the chain. A bar opens at the price before its first swap, so
 * that its low and high hold all of the way. Liquidity is the harmonic mean weighted by what was traded. With `feePips` the bars
 * carry fee growth, from the price path and bound by what was paid (see `feeGrowthFromSwapsInSteps`). In steps as of `eachInSteps`; what
 * is left after the last puts all bars into columns.
 * @throws LpMathError `BARS_MALFORMED` for swaps out of order or outside the span, `SWAP_LOGS_INCONSISTENT`, `FEE_OUT_OF_RANGE`.
 */
export function* barsFromSwapsInSteps(
  swaps: readonly TimedSwapLog[],
  options: BarsFromSwapsOptions,
): Generator<number, Bars> {
  const { barSeconds, startsAt, endsAt } = options
  const count = Math.round((endsAt - startsAt) / barSeconds)
  if (!(barSeconds > 0) || !(count >= 1) || Math.abs(startsAt + count * barSeconds - endsAt) > 1e-6 * barSeconds) {
    throw new LpMathError('BARS_MALFORMED', 'endsAt lies a whole number of bars of barSeconds after startsAt.')
  }
  const groups = yield* groupByBar(swaps, options, count)
  let state = options.start ?? stateAfter(swaps[0])
  if (state === undefined) throw new LpMathError('BARS_MALFORMED', 'swaps holds a swap where start is not given.')
  const rows: BarRow[] = []
  for (const [bar, traded] of groups) {
    rows.push(yield* rowOf(traded, state, startsAt + bar * barSeconds, options))
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
  start?: StateBeforeSwaps
}

/** What `barsFromSwapsInSteps` comes to, at once. Throws what it throws. */
export function barsFromSwaps(swaps: readonly TimedSwapLog[], options: BarsFromSwapsOptions): Bars {
  return inOneGo(barsFromSwapsInSteps(swaps, options))
}

/** Price (Q64.96) and active liquidity of a pool before the first of its swaps. */
export type StateBeforeSwaps = { sqrtPriceX96: bigint; liquidity: bigint }

const LN_TICK = Math.log(1.0001)

/**
 * Bars in their order, with what was traded. Besides those with swaps: the ends of the span, and the bar after a swap, which stands at
 * the last liquidity and not at a mean.
 */
function* groupByBar(
  swaps: readonly TimedSwapLog[],
  { startsAt, endsAt, barSeconds }: BarsFromSwapsOptions,
  count: number,
): Generator<number, Map<number, TimedSwapLog[]>> {
  const groups = new Map<number, TimedSwapLog[]>()
  const groupOf = (bar: number) => {
    const group = groups.get(bar) ?? []
    groups.set(bar, group)
    return group
  }
  let before = startsAt
  let last = -1
  yield* eachInSteps(swaps, (swap, index) => {
    if (!(swap.timestamp >= before && swap.timestamp < endsAt)) throw outOfOrder(index)
    const bar = Math.min(count - 1, Math.floor((swap.timestamp - startsAt) / barSeconds))
    if (bar > last) groupOf(last + 1)
    groupOf(bar).push(swap)
    before = swap.timestamp
    last = bar
  })
  for (const bar of [Math.min(last + 1, count - 1), count - 1]) groupOf(bar)
  return groups
}

function* rowOf(
  swaps: readonly TimedSwapLog[],
  start: StateBeforeSwaps,
  startsAt: number,
  options: BarsFromSwapsOptions,
): Generator<number, BarRow> {
  const openTick = fractionalTick(start.sqrtPriceX96)
  let [lowTick, highTick, closeTick] = [openTick, openTick, openTick]
  let [amount0In, amount1In] = [0n, 0n]
  let traded = 0
  let tradedPerLiquidity = 0
  yield* eachInSteps(swaps, (swap) => {
    closeTick = fractionalTick(swap.sqrtPriceX96After)
    lowTick = Math.min(lowTick, closeTick)
    highTick = Math.max(highTick, closeTick)
    if (swap.amount0 > 0n) amount0In += swap.amount0
    if (swap.amount1 > 0n) amount1In += swap.amount1
    if (swap.liquidity > 0n) {
      const volume1 = volumeInToken1(swap)
      traded += volume1
      tradedPerLiquidity += volume1 / Number(swap.liquidity)
    }
  })
  const { liquidity } = swaps.at(-1) ?? start
  return {
    startsAt,
    openTick,
    lowTick,
    highTick,
    closeTick,
    amount0In: Number(amount0In),
    amount1In: Number(amount1In),
    liquidity: tradedPerLiquidity > 0 ? traded / tradedPerLiquidity : Number(liquidity),
    ...(yield* feeGrowthOf(swaps, start, options)),
  }
}

function* feeGrowthOf(
  swaps: readonly SwapLog[],
  start: StateBeforeSwaps,
  { feePips, protocolFee }: BarsFromSwapsOptions,
): Generator<number, { feeGrowth0: number; feeGrowth1: number } | undefined> {
  if (feePips === undefined) return undefined
  const range = { tickLower: MIN_TICK, tickUpper: MAX_TICK, boundByInput: true }
  const grown = yield* feeGrowthFromSwapsInSteps({
    swaps,
    start,
    feePips,
    ...(protocolFee && { protocolFee }),
    ...range,
  })
  return { feeGrowth0: Number(grown.growth0X128) * 2 ** -128, feeGrowth1: Number(grown.growth1X128) * 2 ** -128 }
}

function outOfOrder(index: number): LpMathError {
  return new LpMathError(
    'BARS_MALFORMED',
    `swaps[${index}].timestamp is within the span and not before the swap ahead of it.`,
  )
}

function volumeInToken1({ amount0, amount1, sqrtPriceX96After }: SwapLog): number {
  const sqrtPrice = Number(sqrtPriceX96After) * 2 ** -96
  return amount1 > 0n ? Number(amount1) : Math.max(0, Number(amount0)) * sqrtPrice * sqrtPrice
}

function stateAfter(swap: SwapLog | undefined): StateBeforeSwaps | undefined {
  return swap && { sqrtPriceX96: swap.sqrtPriceX96After, liquidity: swap.liquidity }
}

function fractionalTick(sqrtPriceX96: bigint): number {
  return Math.min(MAX_TICK, Math.max(MIN_TICK, (2 * Math.log(Number(sqrtPriceX96) * 2 ** -96)) / LN_TICK))
}
