import { LpMathError, tickSpacingForFee } from '@svc/lp-math'
import { refuseField } from '../refusals.ts'

/** The tick spacing that goes with a fee tier. Throws `VALIDATION_FAILED` for a missing fee and for one that is no tier. */
export function customarySpacing(fee: number | null): { fee: number; tickSpacing: number } {
  try {
    if (fee !== null) return { fee, tickSpacing: tickSpacingForFee(fee) }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
  }
  const message = fee === null ? 'The fee says which pool of the pair is meant.' : 'No pool is created with this fee.'
  throw refuseField('fee', message, '100, 500, 3000 or 10000')
}
