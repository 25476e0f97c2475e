import { LpMathError } from '../lp-math-error.ts'

/**
 * Annual volatility, as a fraction, that a pool's fees pay for: 2·fee·√(daily volume/tick TVL)·√365. `fee` is a fraction (0.003 is 30 bp).
 * `tickTvlUsd` is the value of the active liquidity over a width of twice the fee, L·√price·fee in USD; that is one tick spacing at 5,
 * 30 and 100 bp. It is the volatility at which LVR, sigma²/4·L·√price a year, equals the fees.
 * Source: G. Lambert, "On-chain Volatility and Uniswap v3" (2021); the equality with LVR follows from Milionis et al. (2022).
 * @throws LpMathError `FEE_OUT_OF_RANGE`; `AMOUNT_NEGATIVE` for a volume below 0 or no number; `LIQUIDITY_OUT_OF_RANGE` unless the TVL is positive.
 */
export function impliedSigma({ fee, dailyVolumeUsd, tickTvlUsd }: ImpliedSigmaOptions): number {
  if (!(fee >= 0 && fee < 1)) throw new LpMathError('FEE_OUT_OF_RANGE', 'fee is a fraction of at least 0 and below 1.')
  if (!(dailyVolumeUsd >= 0 && dailyVolumeUsd < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('AMOUNT_NEGATIVE', 'dailyVolumeUsd is finite and at least 0.')
  }
  if (!(tickTvlUsd > 0 && tickTvlUsd < Number.POSITIVE_INFINITY)) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'tickTvlUsd is finite and positive.')
  }
  return 2 * fee * Math.sqrt((dailyVolumeUsd / tickTvlUsd) * 365)
}

export type ImpliedSigmaOptions = {
  readonly fee: number
  readonly dailyVolumeUsd: number
  readonly tickTvlUsd: number
}
