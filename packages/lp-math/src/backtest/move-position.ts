import { amount0Of, amount1Of, openPosition, type Position } from './open-position.ts'
import type { Bars } from '../bars/bars.ts'
import type { FeeColumns, SwapFees } from './position-fees.ts'
import { type BacktestOptions, type BacktestStrategy, strategyTicks, type MarketColumns } from './backtest-options.ts'

/** Closes a position at the close of `bar` and swaps into the ratio of a new range around the price there. */
export function movePosition({ bars, strategy, options, market }: StrategyReplay, closed: Position, bar: number): Move {
  const { baseToken, tickSpacing, feePips } = options
  const sqrtPrice = market.sqrtPrice[bar] ?? 0
  const usd = { usd0: market.usd0[bar] ?? 0, usd1: market.usd1[bar] ?? 0 }
  const held = { amount0: amount0Of(closed, sqrtPrice), amount1: amount1Of(closed, sqrtPrice) }
  const closedUsd = held.amount0 * usd.usd0 + held.amount1 * usd.usd1
  const ticks = strategyTicks(bars.closeTick[bar] ?? 0, strategy.rangePct, baseToken, tickSpacing)
  const whole = openPosition(ticks, closedUsd, sqrtPrice, usd)
  const ratio = { amount0: amount0Of(whole, sqrtPrice), amount1: amount1Of(whole, sqrtPrice) }
  const swap = swapIntoRatio(held, ratio, { sqrtPrice, liquidity: bars.liquidity[bar] ?? 0, fee: feePips / 1e6 })
  const swapCostUsd = (swap.sold0 - swap.bought0) * usd.usd0 + (swap.sold1 - swap.bought1) * usd.usd1
  // The liquidity is in proportion to the value.
  const position = { ...whole, liquidity: whole.liquidity * (1 - swapCostUsd / closedUsd) }
  return { position, closedUsd, swapCostUsd }
}

export type Move = { readonly position: Position; readonly closedUsd: number; readonly swapCostUsd: number }

/**
 * The swap within one pool's active liquidity after which two amounts stand in a ratio, in doubles: what is sold and bought, of which
 * token. It pays the fee and moves the price; the ratio is met by the amounts after it. Source: v3 whitepaper eq. 6.14 and 6.16, put
 * into (have - sold) * perOther = (other + bought) * perHave, a quadratic of the move of 1/sqrt P.
 */
export function swapIntoRatio(held: Pair, ratio: Pair, pool: SwappingPool): RatioSwap {
  const excess0 = held.amount0 * ratio.amount1 - held.amount1 * ratio.amount0
  if (excess0 >= 0) {
    const { sold, bought } = sell(held.amount0, held.amount1, ratio.amount0, ratio.amount1, pool)
    return { sold0: sold, bought0: 0, sold1: 0, bought1: bought }
  }
  const mirrored = { ...pool, sqrtPrice: 1 / pool.sqrtPrice }
  const { sold, bought } = sell(held.amount1, held.amount0, ratio.amount1, ratio.amount0, mirrored)
  return { sold0: 0, bought0: bought, sold1: sold, bought1: 0 }
}

/** One strategy on its way through the bars: what it reads, and the columns that it writes. */
export type StrategyReplay = {
  readonly bars: Bars
  readonly strategy: BacktestStrategy
  readonly options: BacktestOptions
  readonly market: MarketColumns
  readonly fees: FeeColumns
  /** What bars say of the same positions, where `fees` are counted swap by swap. */
  readonly bySwap: { readonly swapFees: SwapFees; readonly barFees: FeeColumns } | null
  /** At the close of each bar, in US dollars. */
  readonly equity: Float64Array
  /** Fees until then, and impermanent loss until then over all positions; `null` unless asked for. */
  readonly course: { readonly feesUsd: Float64Array; readonly ilUsd: Float64Array } | null
}

type Pair = { readonly amount0: number; readonly amount1: number }

/** `fee` is a fraction of the input, `liquidity` is above 0. */
type SwappingPool = { readonly sqrtPrice: number; readonly liquidity: number; readonly fee: number }

type RatioSwap = {
  readonly sold0: number
  readonly bought0: number
  readonly sold1: number
  readonly bought1: number
}

/** `sqrtPrice` is of what is had, in the other. */
function sell(have: number, other: number, perHave: number, perOther: number, pool: SwappingPool) {
  const { sqrtPrice, liquidity, fee } = pool
  const excess = have * perOther - other * perHave
  if (excess <= 0) return { sold: 0, bought: 0 }
  const inputOfMove = liquidity / (1 - fee)
  const a = inputOfMove * perOther * sqrtPrice
  const b = inputOfMove * perOther + perHave * liquidity * sqrtPrice ** 2 - sqrtPrice * excess
  const root = Math.sqrt(b * b + 4 * a * excess)
  // The form without cancellation.
  const move = b > 0 ? (2 * excess) / (b + root) : (root - b) / (2 * a)
  const sold = Math.min(have, inputOfMove * move)
  return { sold, bought: (liquidity * sqrtPrice ** 2 * move) / (1 + sqrtPrice * move) }
}

/**
 * Values a position at the close of each bar from `mintBar` to `endBar`, less the gas paid until then, into the equity column, and gives
 * what it was worth and what it lost. `ilUsd` is what the positions before it lost.
 */
export function valuePosition(
  { bars, market, fees, equity, course }: StrategyReplay,
  position: Position,
  held: { readonly mintBar: number; readonly endBar: number; readonly gasUsd: number; readonly ilUsd: number },
): PositionValue {
  const { sqrtPrice, usd0, usd1 } = market
  const { mintBar, endBar, gasUsd } = held
  const last = equity.length - 1
  const end0 = usd0[last] ?? 0
  const end1 = usd1[last] ?? 0
  const width = position.tickUpper - position.tickLower
  let amount0 = amount0Of(position, sqrtPrice[mintBar] ?? 0)
  let amount1 = amount1Of(position, sqrtPrice[mintBar] ?? 0)
  const [put0, put1] = [amount0, amount1]
  const startUsd = put0 * (usd0[mintBar] ?? 0) + put1 * (usd1[mintBar] ?? 0)
  let valueUsd = startUsd
  let lvrUsd = 0
  let spannedUsd = 0
  equity[mintBar] = startUsd - gasUsd
  for (let bar = mintBar + 1; bar <= endBar; bar++) {
    const unit0 = usd0[bar] ?? 0
    const unit1 = usd1[bar] ?? 0
    const heldUsd = amount0 * unit0 + amount1 * unit1
    amount0 = amount0Of(position, sqrtPrice[bar] ?? 0)
    amount1 = amount1Of(position, sqrtPrice[bar] ?? 0)
    valueUsd = amount0 * unit0 + amount1 * unit1
    lvrUsd += heldUsd - valueUsd
    const span = ((bars.highTick[bar] ?? 0) - (bars.lowTick[bar] ?? 0)) / width
    spannedUsd += span * ((fees.fee0[bar] ?? 0) * end0 + (fees.fee1[bar] ?? 0) * end1)
    equity[bar] = valueUsd - gasUsd
    if (course !== null) course.ilUsd[bar] = held.ilUsd + put0 * unit0 + put1 * unit1 - valueUsd
  }
  const hodlUsd = put0 * (usd0[endBar] ?? 0) + put1 * (usd1[endBar] ?? 0)
  return {
    hodlMoveUsd: hodlUsd - startUsd,
    ilCostUsd: hodlUsd - valueUsd,
    lvrUsd,
    spannedUsd,
  }
}

/** `spannedUsd`: fees at the prices of the end, each times its bar's span over the range's width. */
export type PositionValue = {
  readonly hodlMoveUsd: number
  readonly ilCostUsd: number
  readonly lvrUsd: number
  readonly spannedUsd: number
}
