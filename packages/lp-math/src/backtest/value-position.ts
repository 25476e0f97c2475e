import { amount0Of, amount1Of, type Position } from './open-position.ts'
import type { StrategyReplay } from './move-position.ts'

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
