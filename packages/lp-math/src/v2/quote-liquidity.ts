import { requireAmount } from '../sqrt-price/require-arguments.ts'
import { requireReserves } from './require-reserves.ts'

/**
 * The amount of token1 (smallest units) that goes with `amount0` when liquidity is added to a v2 pair at its reserves.
 * Called with the tokens exchanged it gives the amount of token0. Source: UniswapV2Library `quote`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT` for an empty pair.
 */
export function quoteLiquidity(amount0: bigint, reserve0: bigint, reserve1: bigint): bigint {
  requireAmount(amount0)
  requireReserves(reserve0, reserve1)
  return (amount0 * reserve1) / reserve0
}
