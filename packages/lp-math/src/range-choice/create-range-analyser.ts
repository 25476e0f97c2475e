import { LpMathError } from '../lp-math-error.ts'
import { type PriceBounds, type PriceModel, requirePriceBounds, requirePriceModel } from '../closed-form/price-model.ts'
import {
  type LiquidityProfile,
  createFeeModel,
  type FeeModel,
  requireValue,
  type FeePace,
} from '../fee-model/fee-model.ts'
import { tenToDecimals } from '../prices/prices.ts'
import { fullRangeTicks, MAX_TICK, type TickRange } from '../ticks/ticks.ts'
import { createOccupationTable, type OccupationTable } from '../closed-form/occupation.ts'
import { expectedIl, arbitrageShare } from '../closed-form/expected-il.ts'
import { positionValue } from '../closed-form/position-value.ts'
import { stayInRangeProbability, terminalInRangeProbability } from '../closed-form/stay-in-range-probability.ts'

/**
 * Answers for any range what a position in it may bring, after one preparation for the market. Fees come from {@link createFeeModel},
 * LVR and time from closed forms; the model's assumptions are theirs.
 *
 * `netApr` is fees less LVR less gas. The whole of LVR is taken off, as the fees that a pool is seen to earn hold what arbitrageurs pay
 * it: of LVR they keep `arbitrageLossApr` and pay the rest as fees (Milionis, Moallemi, Roughgarden, 2023), which `feeApr` has counted.
 * @throws LpMathError on markets that mean nothing: a code for each field.
 */
export function createRangeAnalyser(market: RangeMarket): RangeAnalyser {
  const { model, value } = market
  requirePriceModel(model)
  requireValue(market.gasCost, 'gasCost')
  requireValue(value, 'value')
  if (value === 0) throw new LpMathError('VALUE_OUT_OF_RANGE', 'value is above 0.')
  // Refuses a spacing and decimals that mean nothing before a range is asked for.
  usableRange({ lower: 0, upper: Number.POSITIVE_INFINITY }, market)
  const view = (factor: number): View => viewAt({ ...model, sigma: Math.min(model.sigma * factor, 10) }, market)
  const [now, calmer, wilder] = [view(1), view(0.8), view(1.2)]

  return {
    market,
    timeShare: (bounds) => now.occupation.timeShare(bounds),
    netApr: (bounds) => yieldsOf(bounds, now, market).netApr,
    analyse(bounds) {
      const range = usableRange(bounds, market)
      const held = range.bounds
      return {
        ...range,
        widthPct: (100 * (held.upper - held.lower)) / model.price,
        ...yieldsOf(held, now, market),
        ilPct: 100 * expectedIl(held, model),
        terminalInRangeProbability: terminalInRangeProbability(held, model),
        stayInRangeProbability: stayInRangeProbability(held, model),
        sensitivity: { calmer: sensitivityOf(held, calmer, market), wilder: sensitivityOf(held, wilder, market) },
      }
    },
  }
}

/** Answers what a position may bring in any range of one market: see {@link createRangeAnalyser}. */
export type RangeAnalyser = {
  readonly market: RangeMarket
  /** The expected share of the time that the price spends between bounds, 0 to 1, to 1e-7. */
  timeShare(bounds: PriceBounds): number
  /** What `analyse` calls so, smooth in the bounds: they need not be usable. */
  netApr(bounds: PriceBounds): number
  /**
   * Everything about the narrowest usable range that holds the bounds.
   * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`.
   */
  analyse(bounds: PriceBounds): RangeAnalysis
}

/** Ticks and bounds in the order of the caller; every `Apr` and `Pct` in percent, yields a year on what was put in, not compounded. */
export type RangeAnalysis = UsableRange &
  RangeYields & {
    /** The whole width as percent of the price; Infinity without an upper bound. */
    readonly widthPct: number
    /** E[V/HODL - 1] at the horizon: 0 or negative. */
    readonly ilPct: number
    readonly terminalInRangeProbability: number
    readonly stayInRangeProbability: number
    /** The same range at 0.8 and at 1.2 times the volatility. */
    readonly sensitivity: { readonly calmer: RangeAtSigma; readonly wilder: RangeAtSigma }
  }

/** What a range brings at one volatility. */
export type RangeAtSigma = RangeYields & { readonly sigma: number; readonly ilPct: number }

/** What a position earns and loses, a year, in percent of what was put in. */
export type RangeYields = {
  /** In whole tokens. */
  readonly liquidity: number
  /** Expected share of the time to the horizon in range, 0 to 1. */
  readonly timeInRange: number
  /** With the own liquidity in the sum. */
  readonly feeApr: number
  readonly undilutedFeeApr: number
  /** Where trade follows the clock and not the depth; its distance from `feeApr` says how much hangs on that. */
  readonly steadyFeeApr: number
  readonly lvrApr: number
  /** The part of `lvrApr` that arbitrageurs keep. */
  readonly arbitrageLossApr: number
  readonly gasApr: number
  readonly netApr: number
}

/** The market at one volatility. */
type View = {
  readonly model: PriceModel
  readonly occupation: OccupationTable
  readonly fees: FeeModel
  readonly arbitrageShare: number
}

function viewAt(model: PriceModel, { profile, feesPerDay, feePips, blockSeconds }: RangeMarket): View {
  const occupation = createOccupationTable(model)
  return {
    model,
    occupation,
    fees: createFeeModel({ profile, feesPerDay, occupation }),
    arbitrageShare: arbitrageShare({ feePips, sigma: model.sigma, blockSeconds }),
  }
}

function yieldsOf(bounds: PriceBounds, view: View, { value, gasCost }: RangeMarket): RangeYields {
  const { model, occupation, fees } = view
  const worth = positionValue(bounds, model.price)
  const liquidity = value / worth
  const { diluted, undiluted, steady } = fees.feesPerYear(bounds, liquidity)
  const lvrApr = (100 * occupation.lvr(bounds)) / worth / model.years
  const gasApr = (100 * gasCost) / value / model.years
  const feeApr = (100 * diluted) / value
  return {
    liquidity,
    timeInRange: occupation.timeShare(bounds),
    feeApr,
    undilutedFeeApr: (100 * undiluted) / value,
    steadyFeeApr: (100 * steady) / value,
    lvrApr,
    arbitrageLossApr: lvrApr * view.arbitrageShare,
    gasApr,
    netApr: feeApr - lvrApr - gasApr,
  }
}

function sensitivityOf(bounds: PriceBounds, view: View, market: RangeMarket): RangeAtSigma {
  return { sigma: view.model.sigma, ...yieldsOf(bounds, view, market), ilPct: 100 * expectedIl(bounds, view.model) }
}

/**
 * The narrowest range between usable ticks that holds the bounds, and its own bounds; the whole range has the bounds 0 and Infinity. All
 * in the order of the caller, for whom the ticks count as {@link invertTicks} turns them.
 * @throws LpMathError `PRICE_OUT_OF_RANGE`, `RANGE_EMPTY`, `TICK_SPACING_OUT_OF_RANGE`, `DECIMALS_OUT_OF_RANGE`.
 */
export function usableRange(bounds: PriceBounds, market: UsableRangeOptions): UsableRange {
  requirePriceBounds(bounds)
  const { tickSpacing } = market
  const unit = Number(tenToDecimals(market.decimals0)) / Number(tenToDecimals(market.decimals1))
  const full = fullRangeTicks(tickSpacing)
  const lowest = Math.floor(tickOf(bounds.lower / unit) / tickSpacing + CLOSE) * tickSpacing
  const tickLower = Math.min(Math.max(lowest, full.tickLower), full.tickUpper - tickSpacing)
  const highest = Math.ceil(tickOf(bounds.upper / unit) / tickSpacing - CLOSE) * tickSpacing
  const tickUpper = Math.max(Math.min(highest, full.tickUpper), tickLower + tickSpacing)
  return {
    // Adding 0 turns -0 into 0.
    tickLower: tickLower + 0,
    tickUpper: tickUpper + 0,
    bounds: {
      lower: tickLower === full.tickLower ? 0 : 1.0001 ** tickLower * unit,
      upper: tickUpper === full.tickUpper ? Number.POSITIVE_INFINITY : 1.0001 ** tickUpper * unit,
    },
  }
}

/** A range between ticks that the pool's spacing allows, and its bounds as prices; 0 and Infinity at the ends of all prices. */
export type UsableRange = TickRange & { readonly bounds: PriceBounds }

/** What {@link usableRange} takes of a market. */
export type UsableRangeOptions = Pick<RangeMarket, 'tickSpacing' | 'decimals0' | 'decimals1'>

/** Within the ticks and one beyond, for prices as far as 0 and Infinity. */
function tickOf(price: number): number {
  return Math.min(Math.max(Math.log(price) / Math.log(1.0001), -MAX_TICK - 1), MAX_TICK + 1)
}

/** A bound this near to a usable tick, in spacings, is on it: what lies between is the rounding of a price. */
const CLOSE = 1e-6

/** What a range is chosen in: a price, a pool and an amount, in the order of the caller and in whole tokens. Money counts in token1. */
export type RangeMarket = {
  readonly model: PriceModel
  readonly profile: LiquidityProfile
  /** What the liquidity providers of the pool earn a day, after the protocol's part. */
  readonly feesPerDay: number
  /** Of a swap, in millionths of the input: 3000 is 30 bp. */
  readonly feePips: number
  readonly blockSeconds: number
  /** What is put in. */
  readonly value: number
  /** Gas to open and to close the position; 0 leaves it out. */
  readonly gasCost: number
  readonly tickSpacing: number
  readonly decimals0: number
  readonly decimals1: number
}

/**
 * One standard error of the expected net yield of a range, in percent a year: of its fees and of the volatility, as if independent. Fees of
 * which nothing is known may be all wrong.
 */
export function netAprError(range: NetYields, doubts: RangeDoubts): number {
  const { ofFees, ofVolatility } = netAprErrors(range, doubts)
  return Math.hypot(ofFees, ofVolatility)
}

/** The parts of {@link netAprError}. */
export function netAprErrors(range: NetYields, { pace, sigmaError }: RangeDoubts): NetAprErrors {
  const { calmer, wilder } = range.sensitivity
  const slope = wilder.sigma === calmer.sigma ? 0 : (wilder.netApr - calmer.netApr) / (wilder.sigma - calmer.sigma)
  return { ofFees: (range.feeApr * (feeErrorPct(range, pace) ?? 100)) / 100, ofVolatility: slope * sigmaError }
}

/** What the error of a net yield rests on. */
export type RangeDoubts = {
  /** Of the fees that were seen; in any money. */
  readonly pace: FeePace
  /** One standard error of the volatility, which is annual and a fraction. */
  readonly sigmaError: number
}

/** One standard error of a net yield, and its parts. */
export type NetAprErrors = {
  readonly ofFees: number
  /** What one standard error more of volatility brings: commonly below 0. */
  readonly ofVolatility: number
}

/** What of a `RangeAnalysis` its error follows from. */
export type NetYields = Pick<RangeYields, 'feeApr' | 'steadyFeeApr'> & {
  readonly sensitivity: { readonly calmer: NetAtSigma; readonly wilder: NetAtSigma }
}

/** The net yield at one volatility. */
export type NetAtSigma = { readonly sigma: number; readonly netApr: number }

/**
 * One standard error of the fees ahead of a range, in percent of them, out of independent causes: chance in the days that were seen, the
 * last week against them, and whether trade follows the depth or the clock. `null` where the days are too few to tell, and of
 * fees of nothing, which have no percent.
 */
export function feeErrorPct(
  { feeApr, steadyFeeApr }: Pick<RangeYields, 'feeApr' | 'steadyFeeApr'>,
  { perDay, ofLast7Days, standardError }: FeePace,
): number | null {
  if (standardError === null || !(perDay > 0) || !(feeApr > 0)) return null
  return 100 * Math.hypot(standardError / perDay, (ofLast7Days - perDay) / perDay, (steadyFeeApr - feeApr) / feeApr)
}
