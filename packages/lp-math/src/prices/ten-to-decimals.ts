import { LpMathError } from '../lp-math-error.ts'

/** Ten to the power of a token's decimals. Throws LpMathError `DECIMALS_OUT_OF_RANGE` unless they are an integer within 0 and 255. */
export function tenToDecimals(decimals: number): bigint {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255) {
    throw new LpMathError('DECIMALS_OUT_OF_RANGE', 'The decimals of a token are an integer within 0 and 255.')
  }
  return 10n ** BigInt(decimals)
}
