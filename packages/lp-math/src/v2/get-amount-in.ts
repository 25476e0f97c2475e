import { LpMathError } from '../lp-math-error.ts'
import { requireAmount } from '../sqrt-price/require-arguments.ts'
import { requireReserves } from './require-reserves.ts'

/**
 * What a v2 pair asks (smallest units, its fee of 0.3 % included) for an output at its reserves; 0 for an output of 0.
 * Source: v2 whitepaper 3.2.1; UniswapV2Library `getAmountIn`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT` for an empty pair or an output it does not hold.
 */
export function getAmountIn(amountOut: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  requireAmount(amountOut)
  requireReserves(reserveIn, reserveOut)
  if (amountOut >= reserveOut) {
    throw new LpMathError('RESERVES_INSUFFICIENT', 'The pair holds less than the amount asked for.')
  }
  if (amountOut === 0n) return 0n
  return (reserveIn * amountOut * 1000n) / ((reserveOut - amountOut) * 997n) + 1n
}
