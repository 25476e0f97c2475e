import { LpMathError } from '../lp-math-error.ts'
import type { TickRange } from '../ticks/ticks.ts'
import { LN_TICK } from './backtest-options.ts'

/**
 * The position that `valueUsd` buys in a range, at a sqrt price and at US dollars for one smallest unit of each token.
 * @throws LpMathError `LIQUIDITY_OUT_OF_RANGE` where that is nothing, or more than a number holds.
 */
export function openPosition(ticks: TickRange, valueUsd: number, sqrtPrice: number, usd: UnitPrices): Position {
  const bounds = {
    ...ticks,
    sqrtLower: Math.exp((ticks.tickLower * LN_TICK) / 2),
    sqrtUpper: Math.exp((ticks.tickUpper * LN_TICK) / 2),
  }
  const unit = { ...bounds, liquidity: 1 }
  const liquidity = valueUsd / (amount0Of(unit, sqrtPrice) * usd.usd0 + amount1Of(unit, sqrtPrice) * usd.usd1)
  if (!(liquidity > 0 && liquidity < Infinity)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', `${valueUsd} US dollars buy no liquidity at these prices.`)
  }
  return { ...bounds, liquidity }
}

/** Token0 in a position at a sqrt price. Source: v3 whitepaper eq. 6.29 and 6.30. */
export function amount0Of({ liquidity, sqrtLower, sqrtUpper }: Position, sqrtPrice: number): number {
  if (sqrtPrice >= sqrtUpper) return 0
  return liquidity * (1 / (sqrtPrice > sqrtLower ? sqrtPrice : sqrtLower) - 1 / sqrtUpper)
}

/** Token1 in a position at a sqrt price. Source: v3 whitepaper eq. 6.29 and 6.30. */
export function amount1Of({ liquidity, sqrtLower, sqrtUpper }: Position, sqrtPrice: number): number {
  if (sqrtPrice <= sqrtLower) return 0
  return liquidity * ((sqrtPrice < sqrtUpper ? sqrtPrice : sqrtUpper) - sqrtLower)
}

export type Position = TickRange & {
  readonly sqrtLower: number
  readonly sqrtUpper: number
  readonly liquidity: number
}

/** US dollars for one smallest unit of each token. */
export type UnitPrices = { readonly usd0: number; readonly usd1: number }
