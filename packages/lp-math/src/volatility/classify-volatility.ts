import { LpMathError } from '../lp-math-error.ts'

/**
 * The class of an annual volatility given as a fraction: STABLE below 5 %, LOW below 30 %, MODERATE below 80 %, HIGH below 150 %, else EXTREME.
 * @throws LpMathError `SIGMA_OUT_OF_RANGE` unless finite and at least 0.
 */
export function classifyVolatility(sigma: number): VolatilityClass {
  if (!(sigma >= 0 && sigma < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('SIGMA_OUT_OF_RANGE', 'sigma is an annual volatility as a finite fraction of at least 0.')
  }
  if (sigma < 0.05) return 'STABLE'
  if (sigma < 0.3) return 'LOW'
  if (sigma < 0.8) return 'MODERATE'
  return sigma < 1.5 ? 'HIGH' : 'EXTREME'
}

export type VolatilityClass = 'STABLE' | 'LOW' | 'MODERATE' | 'HIGH' | 'EXTREME'
