import type { OccupationTable } from '../closed-form/create-occupation-table.ts'
import { type PriceBounds, requirePriceBounds } from '../closed-form/price-model.ts'
import { bandAt, type LiquidityProfile } from './liquidity-profile.ts'
import { requireValue } from './fee-pace.ts'
import { positionValue } from '../closed-form/position-value.ts'

/**
 * What a position may earn in fees in a pool whose liquidity differs from price to price.
 *
 * The pool's bands are those between its initialised ticks. The price spends a share of the time in each, in closed form under
 * geometric Brownian motion. A pool in which the price moves trades in proportion to its liquidity there, as a price can only move by
 * trading through what lies in its way; so the fees of a band are taken in proportion to liquidity times time, and scaled so that the
 * pool earns `feesPerDay` over the horizon as a whole. Of each band the position takes the part L/(band + L) that its liquidity is of the
 * sum: it dilutes the others and itself, and brings no trade. Assumed are liquidity that stays where it is, fees at the rate of the
 * past days, and trade that follows the price.
 *
 * Where trade follows nothing but the clock (orders come whatever the depth is), each band earns the same in the same time; that is
 * `steady`, and its distance from `diluted` says how much hangs on the assumption.
 * @throws LpMathError `VALUE_OUT_OF_RANGE` unless `feesPerDay` is finite and at least 0.
 */
export function createFeeModel({ profile, feesPerDay, occupation }: FeeModelOptions): FeeModel {
  requireValue(feesPerDay, 'feesPerDay')
  const { edges, liquidity } = profile
  const shares = occupation.timeShares(edges).map((share, band) => ((liquidity[band] ?? 0) > 0 ? share : 0))
  const meanLiquidity = shares.reduce((sum, share, band) => sum + share * (liquidity[band] ?? 0), 0)
  const covered = shares.reduce((sum, share) => sum + share, 0)
  const feesPerYear = feesPerDay * 365

  return {
    meanLiquidity,
    feesPerYear(bounds, own) {
      requirePriceBounds(bounds)
      requireValue(own, 'own')
      if (!(meanLiquidity > 0) || own === 0) return { diluted: 0, undiluted: 0, steady: 0 }
      const [first, last] = [bandAt(edges, bounds.lower), bandAt(edges, bounds.upper)]
      let [diluted, undiluted, steady] = [0, 0, 0]
      for (let band = first; band <= last; band += 1) {
        const share = band === first || band === last ? shareWithin(band, bounds) : (shares[band] ?? 0)
        const there = liquidity[band] ?? 0
        const apiece = share / (there + own)
        undiluted += share
        diluted += apiece * there
        steady += apiece
      }
      const scale = feesPerYear * own
      return {
        diluted: (scale * diluted) / meanLiquidity,
        undiluted: (scale * undiluted) / meanLiquidity,
        steady: (scale * steady) / covered,
      }
    },
  }

  /** The share of the time that the price spends both in a band that has liquidity and between the bounds. */
  function shareWithin(band: number, { lower, upper }: PriceBounds): number {
    const [from, to] = [Math.max(edges[band] ?? 0, lower), Math.min(edges[band + 1] ?? 0, upper)]
    return (liquidity[band] ?? 0) > 0 && to > from ? occupation.timeShare({ lower: from, upper: to }) : 0
  }
}

/** What {@link createFeeModel} rests on: liquidity at each price, fees a day, and expected times. */
export type FeeModelOptions = {
  readonly profile: LiquidityProfile
  /** What the liquidity providers of the pool earn a day, after the protocol's part, in token1 (or in what the results shall count in). */
  readonly feesPerDay: number
  readonly occupation: OccupationTable
}

/** What a pool pays a position a year, for any range and liquidity. */
export type FeeModel = {
  /** The liquidity of the pool, averaged over the expected time at each price. */
  readonly meanLiquidity: number
  /**
   * What a position of liquidity `own` earns a year between two bounds, in the unit of `feesPerDay`.
   * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `VALUE_OUT_OF_RANGE`.
   */
  feesPerYear(bounds: PriceBounds, own: number): YearlyFees
}

/** Fees a year, in token1. */
export type YearlyFees = {
  /** With the position's own liquidity in the sum. */
  readonly diluted: number
  /** As for a position that is too small to matter. */
  readonly undiluted: number
  /** Diluted, where the pool earns the same in the same time at every price. */
  readonly steady: number
}

/**
 * The liquidity, in whole tokens, that `valueInToken1` buys between two bounds at a price.
 * @throws LpMathError `VALUE_OUT_OF_RANGE`, `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
 */
export function ownLiquidity(bounds: PriceBounds, price: number, valueInToken1: number): number {
  requireValue(valueInToken1, 'valueInToken1')
  return valueInToken1 / positionValue(bounds, price)
}
