import {
  candidateRanges,
  chooseRange,
  createRangeAnalyser,
  type LabelledRange,
  netAprError,
  type PriceBounds,
  type RangeAnalyser,
  type RangeAnalysis,
  type RangeDoubts,
  type LogForecast,
  type RangeMarket,
  type YieldIntervals,
  yieldIntervals,
} from '@svc/lp-math'

/**
 * The range that is recommended, and those beside it. It lies evenly about the price unless, in both orders of the tokens, the best that
 * leans to the same side is expected to earn more than both the even range and the best that leans to the other side, by more than the
 * errors of the two together; it is then as wide as either order asks for.
 * @throws LpMathError on markets that mean nothing; `PROBABILITY_OUT_OF_RANGE` unless the target, a share of the time in range, is at least
 * 0 and below 1.
 */
export function pickRange(wanted: RangeWanted, between: () => void = () => {}): RangeChoice {
  const analyser = interruptible(createRangeAnalyser(wanted.market), between)
  const { best, even, lean } = leaning(analyser, wanted)
  const bounds = lean === null ? null : agreedBounds(lean, wanted, between)
  const chosen = bounds === null ? { optimal: even } : { optimal: analyser.analyse(bounds), leansFrom: even }
  const known = candidateRanges(analyser)
  // On usable ticks another one may earn more than the one that was best between them.
  const [most = best] = [best, chosen.optimal, ...known]
    .filter(({ timeInRange }) => timeInRange >= wanted.targetTimeInRange)
    .toSorted((a, b) => b.netApr - a.netApr)
  const label = 'best held'
  const found = { ...chosen, candidates: [{ ...(most.netApr - best.netApr > 1e-6 ? most : best), label }, ...known] }
  between()
  return wanted.outlook === undefined ? found : withIntervals(found, { ...wanted, outlook: wanted.outlook }, between)
}

/** Of fees that nothing forecasts there are no intervals. The futures are the same ones each time: the seed of a call is that of its simulation. */
function withIntervals(
  choice: RangeChoice,
  { market, outlook }: { readonly market: RangeMarket; readonly outlook: RangeOutlook },
  between: () => void,
): RangeChoice {
  const { fees } = outlook
  if (fees === null) return choice
  const { model, profile, value, gasCost } = market
  const gasApr = (100 * gasCost) / value / model.years
  const ranges = [choice.optimal, ...choice.candidates].map(({ bounds }) => bounds)
  const [optimal, ...others] = yieldIntervals(
    ranges,
    { model, profile, value, gasApr, ...outlook, fees, seed: 1 },
    between,
  )
  return {
    ...choice,
    optimal: { ...choice.optimal, ...(optimal && { ahead: optimal }) },
    candidates: choice.candidates.map((one, index) => {
      const ahead = others[index]
      return { ...one, ...(ahead && { ahead }) }
    }),
  }
}

/** What a range is chosen by. */
export type RangeWanted = {
  readonly market: RangeMarket
  /** 0 to 1. */
  readonly targetTimeInRange: number
  readonly doubts: RangeDoubts
  /** Of what the market is to bring over its horizon; without it there are no intervals. */
  readonly outlook?: RangeOutlook
}

export type RangeOutlook = {
  /** Of the fees of the pool a day, in token1; `null` where it earned none. */
  readonly fees: LogForecast | null
  readonly volatility: LogForecast | null
}

/** What lies ahead of a range in 68 and in 95 of 100 cases; absent where nothing forecasts it. */
export type Ahead = { readonly ahead?: YieldIntervals }

export type RangeChoice = {
  readonly optimal: RangeAnalysis & Ahead
  readonly candidates: readonly (LabelledRange & Ahead)[]
  /** The even range, where the chosen one leans to a side. */
  readonly leansFrom?: RangeAnalysis
}

/** The range that is distinguished from the even one and from its mirror, or none. */
function leaning(analyser: RangeAnalyser, { targetTimeInRange, doubts }: RangeWanted) {
  const { best, atTarget, otherSide, even } = chooseRange(analyser, targetTimeInRange)
  const beats = (one: RangeAnalysis): boolean =>
    atTarget.netApr - one.netApr > netAprError(atTarget, doubts) + netAprError(one, doubts)
  return { best, even, lean: beats(even) && beats(otherSide) ? atTarget.bounds : null }
}

/**
 * The bounds of a lean and of the one in the other order of the tokens together. A price without drift falls more often than it rises, and
 * in the other order the other way round, so that a range that leans upwards must be wider and loses less: that is no lean of the pool.
 */
function agreedBounds(own: PriceBounds, wanted: RangeWanted, between: () => void): PriceBounds | null {
  const { price } = wanted.market.model
  const market = turnedMarket(wanted.market)
  const { lean } = leaning(interruptible(createRangeAnalyser(market), between), { ...wanted, market })
  if (lean === null) return null
  const turned = { lower: 1 / lean.upper, upper: 1 / lean.lower }
  if (leansUp(own, price) !== leansUp(turned, price)) return null
  return { lower: Math.min(own.lower, turned.lower), upper: Math.max(own.upper, turned.upper) }
}

/** Calls `between` before each range. */
function interruptible(analyser: RangeAnalyser, between: () => void): RangeAnalyser {
  return {
    ...analyser,
    netApr(bounds) {
      between()
      return analyser.netApr(bounds)
    },
    analyse(bounds) {
      between()
      return analyser.analyse(bounds)
    },
  }
}

function leansUp({ lower, upper }: PriceBounds, price: number): boolean {
  return upper / price > price / lower
}

/** A market without drift as it is asked about in the other order of its tokens, again without drift: money counts in the other token. */
function turnedMarket(market: RangeMarket): RangeMarket {
  const { model, profile, feesPerDay, value, gasCost, decimals0, decimals1 } = market
  return {
    ...market,
    model: { ...model, price: 1 / model.price },
    profile: { edges: profile.edges.map((edge) => 1 / edge).reverse(), liquidity: profile.liquidity.toReversed() },
    feesPerDay: feesPerDay / model.price,
    value: value / model.price,
    gasCost: gasCost / model.price,
    decimals0: decimals1,
    decimals1: decimals0,
  }
}
