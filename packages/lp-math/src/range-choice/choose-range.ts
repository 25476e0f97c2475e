import type { PriceBounds } from '../closed-form/price-model.ts'
import { LpMathError } from '../lp-math-error.ts'
import { MAX_TICK } from '../ticks/ticks.ts'
import type { RangeAnalyser, RangeAnalysis } from './create-range-analyser.ts'

/**
 * The ranges to choose, by a search of width and skew together on the smooth closed forms, widened to usable ticks: `best` has the greatest
 * expected net yield among those in which the price spends at least `targetTimeInRange` of the time, `atTarget` among those that it
 * leaves for all the rest, `otherSide` among those of that time that lean the other way, and `even` is the range of that time whose bounds
 * are equally far from the price in the logarithm. As widening costs each of them another part of its yield, `best` is the best of all of
 * them after it. With yields below 0 everywhere it loses least, and is commonly the full range.
 * @throws LpMathError `PROBABILITY_OUT_OF_RANGE` unless the target is at least 0 and below 1.
 */
export function chooseRange(analyser: RangeAnalyser, targetTimeInRange: number): ChosenRanges {
  if (!(targetTimeInRange >= 0 && targetTimeInRange < 1)) {
    throw new LpMathError('PROBABILITY_OUT_OF_RANGE', 'targetTimeInRange is a share of at least 0 and below 1.')
  }
  const { price } = analyser.market.model
  const analysed = (skew: number, log: number): RangeAnalysis => analyser.analyse(boundsOf(price, log, skew))
  const enough = (skew: number): number => enoughWidth(analyser, skew, targetTimeInRange)
  const best = maximumOf((skew) => bestWidth(analyser, skew, enough(skew)).value, OVER_SKEWS)
  const atSkew = (skew: number): number => analyser.netApr(boundsOf(price, enough(skew), skew))
  const target = maximumOf(atSkew, OVER_SKEWS)
  const other = maximumOf(atSkew, target.at > 0 ? DOWNWARD : UPWARD)
  const smooth = analysed(best.at, bestWidth(analyser, best.at, enough(best.at)).at)
  const [atTarget, otherSide, even] = [
    analysed(target.at, enough(target.at)),
    analysed(other.at, enough(other.at)),
    analysed(0, enough(0)),
  ]
  const chosen = [atTarget, otherSide, even].reduce((one, next) => (next.netApr > one.netApr ? next : one), smooth)
  const full = analyser.analyse({ lower: 0, upper: Number.POSITIVE_INFINITY })
  return { best: full.netApr > chosen.netApr - NEGLIGIBLE_APR ? full : chosen, atTarget, otherSide, even }
}

/** The ranges that {@link chooseRange} chooses, each with all of its numbers. */
export type ChosenRanges = {
  readonly best: RangeAnalysis
  readonly atTarget: RangeAnalysis
  readonly otherSide: RangeAnalysis
  readonly even: RangeAnalysis
}

/**
 * The ranges that people know, analysed: the price give or take some percent, from narrow to wide, and the full range last. A range that
 * becomes another's after it is widened to usable ticks is still reported.
 * @throws LpMathError `PRICE_OUT_OF_RANGE` unless each of `halfWidthsPct` is above 0 and below 100.
 */
export function candidateRanges(analyser: RangeAnalyser, halfWidthsPct: readonly number[] = KNOWN): LabelledRange[] {
  const { price } = analyser.market.model
  const around = halfWidthsPct.map((halfWidthPct): LabelledRange => {
    if (!(halfWidthPct > 0 && halfWidthPct < 100)) {
      throw new LpMathError('PRICE_OUT_OF_RANGE', 'Each of halfWidthsPct is above 0 and below 100.')
    }
    const step = (price * halfWidthPct) / 100
    return { label: `±${halfWidthPct} %`, ...analyser.analyse({ lower: price - step, upper: price + step }) }
  })
  return [...around, { label: 'full', ...analyser.analyse({ lower: 0, upper: Number.POSITIVE_INFINITY }) }]
}

/** A range under the name that people know it by. */
export type LabelledRange = RangeAnalysis & { readonly label: string }

/** The full range says more than one that earns a millionth of a percent more. */
const NEGLIGIBLE_APR = 1e-6

/** One half of a range is at most three times as wide as the other: beyond, it is a bet on a direction. */
const OVER_SKEWS = { from: -0.5, to: 0.5, samples: 5, sections: 7 }
const DOWNWARD = { from: -0.5, to: 0, samples: 3, sections: 5 }
const UPWARD = { from: 0, to: 0.5, samples: 3, sections: 5 }

const PRACTICALLY_ALWAYS = 1 - 1e-6

const LN_TICK = Math.log(1.0001)
const WIDEST = Math.log(MAX_TICK * LN_TICK)

/** The logarithm of the least mean half width, from half a tick spacing on, that keeps the price in range for the target. */
function enoughWidth(analyser: RangeAnalyser, skew: number, target: number): number {
  const { market } = analyser
  let [low, high] = [Math.log((market.tickSpacing * LN_TICK) / 2), WIDEST]
  if (analyser.timeShare(boundsOf(market.model.price, low, skew)) >= target) return low
  while (high - low > 1e-6) {
    const middle = (low + high) / 2
    if (analyser.timeShare(boundsOf(market.model.price, middle, skew)) >= target) high = middle
    else low = middle
  }
  return high
}

/** The best logarithm of the mean half width, from one on; wider than the price goes there is only the full range. */
function bestWidth(analyser: RangeAnalyser, skew: number, from: number): Maximum {
  const to = Math.max(from, enoughWidth(analyser, skew, PRACTICALLY_ALWAYS))
  const ofWidth = (log: number): number => analyser.netApr(boundsOf(analyser.market.model.price, log, skew))
  return maximumOf(ofWidth, { from, to, samples: 6, sections: 8 })
}

/** From (1 - skew) half widths below the price to (1 + skew) above it, in the logarithm. */
function boundsOf(price: number, logOfHalfWidth: number, skew: number): PriceBounds {
  const halfWidth = Math.exp(logOfHalfWidth)
  return { lower: price * Math.exp(-halfWidth * (1 - skew)), upper: price * Math.exp(halfWidth * (1 + skew)) }
}

/**
 * Where a smooth function is greatest between two points, and how great: the best of `samples` equal steps, refined by golden sections
 * around it. Several hills are distinguished as far as the steps do.
 */
export function maximumOf(f: (x: number) => number, { from, to, samples, sections }: SearchOptions): Maximum {
  const step = (to - from) / (samples - 1)
  let best: Maximum = { at: from, value: f(from) }
  for (let sample = 1; sample < samples; sample += 1) best = better(best, at(f, from + sample * step))
  let [left, right] = [Math.max(best.at - step, from), Math.min(best.at + step, to)]
  let [low, high] = [at(f, right - GOLDEN * (right - left)), at(f, left + GOLDEN * (right - left))]
  for (let section = 0; section < sections; section += 1) {
    if (low.value >= high.value) {
      ;[right, high] = [high.at, low]
      low = at(f, right - GOLDEN * (right - left))
    } else {
      ;[left, low] = [low.at, high]
      high = at(f, left + GOLDEN * (right - left))
    }
  }
  return better(better(best, low), high)
}

type SearchOptions = {
  readonly from: number
  readonly to: number
  readonly samples: number
  readonly sections: number
}

type Maximum = { readonly at: number; readonly value: number }

const GOLDEN = (Math.sqrt(5) - 1) / 2

function at(f: (x: number) => number, x: number): Maximum {
  return { at: x, value: f(x) }
}

function better(one: Maximum, other: Maximum): Maximum {
  return other.value > one.value ? other : one
}

const KNOWN = [1, 2.5, 5, 10, 15, 25, 50, 75]
