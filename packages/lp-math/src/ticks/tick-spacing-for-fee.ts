import { LpMathError } from '../lp-math-error.ts'

/**
 * The tick spacing that goes with a fee (hundredths of a basis point): 100 -> 1, 500 -> 10, 3000 -> 60, 10000 -> 200.
 * Source: the v3 factory's `feeAmountTickSpacing`; by custom also v4's pools of these fees.
 * @throws LpMathError `FEE_UNKNOWN` for any other fee.
 */
export function tickSpacingForFee(fee: number): number {
  switch (fee) {
    case 100:
      return 1
    case 500:
      return 10
    case 3000:
      return 60
    case 10000:
      return 200
    default:
      throw new LpMathError('FEE_UNKNOWN', 'A fee with a customary tick spacing is one of 100, 500, 3000, 10000.')
  }
}
