import { LpMathError } from '../lp-math-error.ts'
import { requireTickSpacing } from '../ticks/ticks.ts'
import type { PoolState } from './pool-state.ts'

/**
 * A pool as its factory creates it, before its Initialize event. A state read from the chain's storage will do as a start as well.
 * `feePips` in millionths.
 * @throws LpMathError `FEE_OUT_OF_RANGE`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function createPoolState(options: { readonly feePips: number; readonly tickSpacing: number }): PoolState {
  const { feePips, tickSpacing } = options
  if (!Number.isInteger(feePips) || feePips < 0 || feePips >= 1_000_000) {
    throw new LpMathError('FEE_OUT_OF_RANGE', 'A fee is an integer number of millionths, at least 0 and below 1000000.')
  }
  requireTickSpacing(tickSpacing)
  return {
    feePips,
    tickSpacing,
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFees0: 0n,
    protocolFees1: 0n,
    feeProtocol: 0,
    observationIndex: 0,
    observationCardinality: 0,
    observationCardinalityNext: 0,
    observations: [],
    ticks: [],
    positions: new Map(),
  }
}
