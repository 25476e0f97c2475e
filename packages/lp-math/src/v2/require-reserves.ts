import { LpMathError } from '../lp-math-error.ts'

/** Refuses reserves of which one is 0 or less: such a pair has no price. */
export function requireReserves(reserveA: bigint, reserveB: bigint): void {
  if (reserveA <= 0n || reserveB <= 0n) {
    throw new LpMathError('RESERVES_INSUFFICIENT', 'Both reserves of the pair are greater than 0.')
  }
}
