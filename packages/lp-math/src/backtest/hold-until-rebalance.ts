import { accrueFees } from './accrue-fees.ts'
import type { Position } from './open-position.ts'
import { movePosition, type StrategyReplay } from './move-position.ts'

/**
 * Earns the fees of a position from the bar after `mintBar` on, and gives the bar at whose close it is to be moved, or the last bar.
 * What stands in the fee columns after that bar is of no meaning.
 */
export function holdUntilRebalance(replay: StrategyReplay, position: Position, mintBar: number): Held {
  const { bars, strategy, options, fees } = replay
  const last = bars.startsAt.length - 1
  const windowBars = Math.max(1, Math.round(86_400 / bars.barSeconds))
  const threshold = strategy.rebalanceThresholdPct
  const enough = threshold === null ? Infinity : Math.max(ROUNDING, (threshold / 100) * windowBars - ROUNDING)
  const accruing = { ...position, fee: (options.feePips / 1e6) * (1 - (options.protocolFeeShare ?? 0)) }
  let accruedTo = mintBar + 1
  let barsOut = 0
  let putOffBars = 0
  for (let bar = mintBar + 1; bar <= last; bar++) {
    if (bar === accruedTo) {
      accruedTo = Math.min(last + 1, bar + BARS_AT_ONCE)
      accrueFees(bars, accruing, bar, accruedTo, fees)
    }
    barsOut += 1 - (fees.share[bar] ?? 0)
    const leaving = bar - windowBars
    if (leaving > mintBar) barsOut -= 1 - (fees.share[leaving] ?? 0)
    const isDue = barsOut >= enough && bar > mintBar + 1 && bar < last
    if (isDue && isAffordable(replay, position, bar)) return { endBar: bar, putOffBars }
    if (isDue) putOffBars += 1
  }
  return { endBar: last, putOffBars }
}

/** `putOffBars` are those after which a move was due and cost too much. */
type Held = { readonly endBar: number; readonly putOffBars: number }

/** Whether the pool has the liquidity to swap what a move asks for at a price that somebody would take. */
function isAffordable(replay: StrategyReplay, position: Position, bar: number): boolean {
  if ((replay.bars.liquidity[bar] ?? 0) === 0) return false
  const { closedUsd, swapCostUsd } = movePosition(replay, position, bar)
  return swapCostUsd <= MOST_SWAP_COST * closedUsd
}

/** Of the position: what costs more is put off. */
const MOST_SWAP_COST = 0.1

/** Sums of shares carry rounding: what is out by less is in. */
const ROUNDING = 1e-9

/** Few enough that a move soon after wastes little, many enough that the inner loop is what runs. */
const BARS_AT_ONCE = 1440
