import { candidateRanges, createRangeAnalyser, intervalOf, liquidityProfile, type RangeMarket } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { formatChoice, choiceNotes } from './format-choice.ts'
import { pickRange } from '../analysis/range/pick-range.ts'

const market: RangeMarket = {
  model: { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 },
  profile: liquidityProfile({
    ticks: [],
    tick: 76_012,
    liquidity: 10n ** 23n,
    decimals0: 18,
    decimals1: 18,
    inverted: false,
  }),
  feesPerDay: 3_000,
  feePips: 500,
  blockSeconds: 12,
  value: 10_000,
  gasCost: 20,
  tickSpacing: 10,
  decimals0: 18,
  decimals1: 18,
}
const candidates = candidateRanges(createRangeAnalyser(market))
const optimal = candidates[3]!
const pace = { perDay: 100, ofLast7Days: 100, standardError: 10 }
const volatility = { source: 'historical' as const, sigma: 0.8, lookbackDays: 30 }
const terms = { amountUsd: 10_000, horizonDays: 30, isInverted: false, price: 2_000, volatility, gasCostUsd: 20 }
const about = { ...terms, pace, sigmaError: 0.02 }

const noBounds = (name: string) =>
  Object.fromEntries(['Low95', 'Low68', 'High68', 'High95'].map((bound) => [`${name}${bound}`, null]))

describe('a choice of range as it is told', () => {
  test('tells where volatility, fees and net of every range are to be found, in the dollars of the horizon too', () => {
    const fees = { location: Math.log(3_000), scale: 0.5, freedom: 6 }
    const sigma = { location: Math.log(0.8), scale: 0.3, freedom: 10 }
    const doubts = { pace, sigmaError: 0.02 }
    const wanted = { market, targetTimeInRange: 0.8, doubts, outlook: { fees, volatility: sigma, seed: 1 } }
    const ahead = intervalOf(sigma)
    const told = formatChoice(pickRange(wanted), { ...about, volatility: { ...volatility, ahead } })
    expect(told.volatility).toMatchObject({ annualizedLow95: expect.closeTo(ahead.low95, 6) })
    for (const one of [told.projections, ...told.candidateRanges]) {
      const bounds = ['Low95', 'Low68', 'High68', 'High95'] as const
      for (const name of ['expectedFeeApr', 'expectedNetApr'] as const) {
        const found = bounds.map((bound) => one[`${name}${bound}`]!)
        expect(found).toEqual(found.toSorted((a, b) => a - b))
        expect(found[0]).toBeLessThan(one[name])
        expect(found[3]).toBeGreaterThan(one[name])
      }
    }
    const { netPnlUsdLow95, expectedNetAprLow95 } = told.projections
    expect(netPnlUsdLow95).toBeCloseTo((10_000 * expectedNetAprLow95! * 30) / 36_500, 4)
    const { optimal: known } = pickRange({ ...wanted, outlook: { fees: null, volatility: sigma } })
    expect(formatChoice({ optimal: known, candidates: [] }, about).projections).toMatchObject(
      noBounds('expectedNetApr'),
    )
  })

  test.each([
    [0.7 - 1e-6, 'HIGH'],
    [0.7 + 1e-6, 'MODERATE'],
    [0.9 - 1e-6, 'MODERATE'],
    [0.9 + 1e-6, 'LOW'],
    [0.999 - 1e-6, 'LOW'],
    [0.999 + 1e-6, 'NONE'],
  ])('%d of the time in range is a risk called %s', (timeInRange, risk) => {
    const {
      candidateRanges: [reported],
    } = formatChoice({ optimal, candidates: [{ ...optimal, timeInRange }] }, about)
    expect(reported!.outOfRangeRisk).toBe(risk)
  })

  test('tells what it goes by, and of every range how far its yield may lie off', () => {
    const {
      currentPrice,
      volatility: reported,
      projections,
      candidateRanges,
    } = formatChoice({ optimal, candidates }, about)
    expect([currentPrice, reported]).toEqual([
      2_000,
      { source: 'historical', annualized: 0.8, standardError: 0.02, ...noBounds('annualized'), lookback: '30d' },
    ])
    expect(projections).toMatchObject({ gasCostUsd: 20, expectedNetAprError: candidateRanges[3]!.expectedNetAprError })
    for (const one of candidateRanges) expect(one.expectedNetAprError).toBeGreaterThan(0)
  })

  test('carries the error of the volatility over to the time in range and the loss', () => {
    const at = (sigma: number) => {
      const { bounds } = optimal
      return createRangeAnalyser({ ...market, model: { ...market.model, sigma } }).analyse(bounds)
    }
    const { projections, candidateRanges } = formatChoice({ optimal, candidates }, about)
    const [low, high] = [at(0.78), at(0.82)]
    expect(projections.inRangeProbabilityError).toBeCloseTo((low.timeInRange - high.timeInRange) / 2, 3)
    expect(projections.expectedIlPctError).toBeCloseTo((low.ilPct - high.ilPct) / 2, 2)
    expect(projections.inRangeProbabilityError).toBeGreaterThan(0.005)
    expect(projections.expectedIlPctError).toBeGreaterThan(0.02)
    expect(candidateRanges[3]).toMatchObject({
      inRangeProbabilityError: projections.inRangeProbabilityError,
      expectedIlPctError: projections.expectedIlPctError,
    })
    const sure = formatChoice({ optimal, candidates }, { ...about, sigmaError: 0 }).projections
    expect([sure.inRangeProbabilityError, sure.expectedIlPctError]).toEqual([0, 0])
  })

  test('tells of every range all that its net yield is made of', () => {
    const { projections, candidateRanges } = formatChoice({ optimal, candidates }, about)
    for (const one of [projections, ...candidateRanges]) {
      // Gas is the same for all of them.
      expect(one.expectedFeeApr - one.lvrApr - projections.gasApr).toBeCloseTo(one.expectedNetApr, 6)
    }
  })

  test('says of implied volatility, of fees that never came and of an amount too large what that means', () => {
    const notes = (feeShare: number, perDay: number, source: 'historical' | 'implied') => {
      const paid = { ...optimal, netApr: 1e3, feeApr: feeShare * optimal.undilutedFeeApr }
      const said = { ...about, pace: { ...pace, perDay }, volatility: { ...volatility, source } }
      return formatChoice({ optimal: paid, candidates: [{ ...paid, label: 'best held' }] }, said).notes.map((note) =>
        note.slice(0, 20),
      )
    }
    expect(notes(0.51, 1, 'historical')).toEqual([])
    expect(notes(0.49, 0, 'implied')).toEqual(['Implied volatility i', 'The pool earned no f', 'The amount is large '])
  })

  test('says the calmer volatility first, then the wilder', () => {
    const { sensitivity, projections } = formatChoice({ optimal, candidates }, about)
    expect(sensitivity.map(({ annualized }) => annualized)).toEqual([0.64, 0.96])
    const [calmer, wilder] = sensitivity.map(({ inRangeProbability }) => inRangeProbability)
    expect(calmer).toBeGreaterThan(projections.inRangeProbability)
    expect(wilder).toBeLessThan(projections.inRangeProbability)
  })

  test('turns the ticks into the order of the pool, and the full range into words', () => {
    const turned = formatChoice({ optimal, candidates }, { ...about, isInverted: true }).optimalRange
    expect(turned).toMatchObject({ tickLower: -optimal.tickUpper, tickUpper: -optimal.tickLower })
    const full = formatChoice({ optimal: candidates.at(-1)!, candidates }, about)
    expect(full.optimalRange).toMatchObject({ priceLower: null, priceUpper: null, rangeWidthPct: null })
    expect(full.candidateRanges.map(({ label }) => label)).toContain('+/-10 %')
  })

  test('tells yields as dollars of 30 days, and fees of which nothing tells the error as perhaps all wrong', () => {
    const { projections } = formatChoice({ optimal, candidates }, about)
    const of30d = (apr: number) => (10_000 * apr * 30) / 36_500
    expect(projections.feeIncome30dUsd).toBeCloseTo(of30d(optimal.feeApr), 4)
    expect(projections.ilCost30dUsd).toBeCloseTo(of30d(optimal.lvrApr), 4)
    expect(projections.netPnl30dUsd).toBeCloseTo(of30d(optimal.netApr), 4)
    expect(
      formatChoice({ optimal, candidates }, { ...about, pace: { ...pace, standardError: null } }).projections
        .feeUncertaintyPct,
    ).toBe(100)
  })
})

const free = { amountUsd: 10_000, gasCostUsd: null }

/** The choice for a pool whose only figure that matters here is what it pays. */
function notesAt(feesPerDay: number, target = 0.8) {
  const market = {
    model: { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 },
    profile: liquidityProfile({
      ticks: [],
      tick: 0,
      liquidity: 10n ** 20n,
      decimals0: 18,
      decimals1: 18,
      inverted: false,
    }),
    feesPerDay,
    feePips: 500,
    blockSeconds: 12,
    value: 10_000,
    gasCost: 0,
    tickSpacing: 10,
    decimals0: 18,
    decimals1: 18,
  }
  const pace = { perDay: feesPerDay, ofLast7Days: feesPerDay, standardError: 0 }
  return choiceNotes(pickRange({ market, targetTimeInRange: target, doubts: { pace, sigmaError: 0 } }), free)
}

describe('over another horizon than 30 days', () => {
  const weekly = { ...market, model: { ...market.model, years: 7 / 365 } }
  const analyser = createRangeAnalyser(weekly)
  const [week, ...others] = candidateRanges(analyser)
  const said = { ...about, horizonDays: 7 }

  test('tells the dollars of one opening beside those of 30 days, and how many openings these are', () => {
    const { projections, notes } = formatChoice({ optimal: week!, candidates: others }, said)
    const { feeIncomeUsd, ilCostUsd, netPnlUsd, netPnlUsdError, horizonDays } = projections
    expect(horizonDays).toBe(7)
    expect(feeIncomeUsd - ilCostUsd - weekly.gasCost).toBeCloseTo(netPnlUsd, 3)
    expect(netPnlUsd * (30 / 7)).toBeCloseTo(projections.netPnl30dUsd, 2)
    expect(netPnlUsdError).toBeCloseTo((10_000 * projections.expectedNetAprError * 7) / 36_500, 4)
    expect(notes).toContainEqual(expect.stringMatching(/4\.29 openings, so that netPnl30dUsd counts the gas of 4\.29/))
    const { notes: ofMonth } = formatChoice({ optimal, candidates }, about)
    expect(ofMonth.filter((note) => note.includes('openings'))).toEqual([])
  })

  test('says first that the chosen range loses, in dollars of that time, with the best one', () => {
    const losing = { ...week!, netApr: -400 }
    const best = { ...others[0]!, label: 'best held', netApr: 3 }
    const notesOf = (netApr: number) =>
      formatChoice({ optimal: { ...losing, netApr }, candidates: [best, ...others] }, said).notes[0]
    expect(notesOf(-400)).toMatch(
      /^The chosen range is expected to lose, and by more than its error: -400\.00 \+\/- [\d.]+ % net a year, 767 USD in 7 days\. "best held", [\d.]+ to [\d.]+, comes to 3\.00 % net a year\.$/,
    )
    expect(notesOf(-0.001)).not.toMatch(/^The chosen range is expected to lose/)
  })
})

test('says that every range loses, and which loses least', () => {
  expect(notesAt(1)).toEqual([
    expect.stringMatching(
      /^Fees are not expected to pay for LVR and gas in any range: the chosen one loses\. "(best held|full)" loses least, -\d+\.\d\d % net a year\.$/,
    ),
  ])
})

test('says which range is expected to earn more than the chosen one, and by how much', () => {
  const [first, ...others] = notesAt(10_000)
  expect(others).toEqual([])
  expect(first).toMatch(
    /^".+" is expected to earn more than the chosen range, [\d.]+ % net a year against -?[\d.]+ % net/,
  )
})

test('says nothing where none earns more', () => {
  const range = { netApr: 5 } as Parameters<typeof choiceNotes>[0]['optimal']
  expect(choiceNotes({ optimal: range, candidates: [{ ...range, netApr: 5.001, label: 'best held' }] }, free)).toEqual(
    [],
  )
})

test('says of a range that leans what the even one is expected to earn', () => {
  const range = (lower: number, upper: number, netApr: number) =>
    ({ netApr, bounds: { lower, upper } }) as Parameters<typeof choiceNotes>[0]['optimal']
  const leansFrom = range(1_600, 2_500, 3)
  const note = (lower: number, upper: number) =>
    choiceNotes(
      { optimal: range(lower, upper, 5), candidates: [{ ...range(1, 2, 4), label: 'best held' }], leansFrom },
      free,
    )
  expect(note(1_700, 3_000)).toEqual([
    'The chosen range reaches farther above the price than to the other side: 5.00 % net a year, against 3.00 % net a year of the even range, 1600 to 2500.',
  ])
  expect(note(1_200, 2_300)).toEqual([expect.stringContaining('farther below the price')])
})

test.each([
  ['a tenth of the amount and of the fees of a year says nothing', 1_000, 100, []],
  ['over a tenth of the amount', 1_001, 101, ['10.0 % of the amount']],
  [
    'over a tenth of the fees of a year',
    51,
    5,
    ['10.2 % of the fees that the chosen range is expected to earn in a year'],
  ],
  [
    'over both',
    2_000,
    50,
    ['20.0 % of the amount', '40.0 % of the fees that the chosen range is expected to earn in a year'],
  ],
  ['without fees the amount alone counts', 1_500, 0, ['15.0 % of the amount']],
  ['unknown gas is not weighed', null, 5, []],
] as const)('gas to open and close: %s', (_, gasCostUsd, feeApr, shares) => {
  const optimal = { netApr: 5, feeApr } as Parameters<typeof choiceNotes>[0]['optimal']
  const choice = { optimal, candidates: [{ ...optimal, label: 'best held' }] }
  const note = `Gas to open and close, ${gasCostUsd} USD, is ${shares.join(' and ')}: it costs the same whatever the amount, so that a larger one bears it better.`
  expect(choiceNotes(choice, { amountUsd: 10_000, gasCostUsd })).toEqual(shares.length === 0 ? [] : [note])
})
