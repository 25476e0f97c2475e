import { LpMathError, requireFeePips } from '../lp-math-error.ts'
import { requireSigma } from './price-model.ts'

/**
 * The part of LVR that arbitrageurs keep, 0 to 1; the rest they pay to the pool as fees: 1/(1 + fee/(sigma·√(dt/2))), where blocks come
 * at random every dt on average and are short. `sigma` is annual.
 * Source: Milionis, Moallemi, Roughgarden, "Automated Market Making and Arbitrage Profits in the Presence of Fees" (2023).
 * @throws LpMathError `FEE_OUT_OF_RANGE`, `SIGMA_OUT_OF_RANGE`, `YEARS_OUT_OF_RANGE` (a block of no time or above a year).
 */
export function arbitrageShare({ feePips, sigma, blockSeconds }: ArbitrageShareOptions): number {
  requireSigma(sigma, 'sigma')
  requireFeePips(feePips)
  if (!(blockSeconds > 0 && blockSeconds <= SECONDS_OF_YEAR)) {
    throw new LpMathError('YEARS_OUT_OF_RANGE', 'blockSeconds is above 0 and at most a year.')
  }
  if (feePips === 0) return 1
  const blockDeviation = sigma * Math.sqrt(blockSeconds / SECONDS_OF_YEAR / 2)
  return blockDeviation / (blockDeviation + feePips / 1e6)
}

/** What {@link arbitrageShare} is asked of. */
export type ArbitrageShareOptions = {
  /** Of a swap, in millionths of the input: 3000 is 30 bp. */
  readonly feePips: number
  readonly sigma: number
  readonly blockSeconds: number
}

const SECONDS_OF_YEAR = 365 * 86_400
