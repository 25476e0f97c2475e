import { requireAmount } from '../sqrt-price/require-arguments.ts'
import { requireReserves } from './require-reserves.ts'

/**
 * What a v2 pair gives for an input (smallest units) at its reserves, after its fee of 0.3 %.
 * Source: v2 whitepaper 3.2.1; UniswapV2Library `getAmountOut`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT` for an empty pair.
 */
export function getAmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  requireAmount(amountIn)
  requireReserves(reserveIn, reserveOut)
  const amountInLessFee = amountIn * 997n
  return (amountInLessFee * reserveOut) / (reserveIn * 1000n + amountInLessFee)
}
