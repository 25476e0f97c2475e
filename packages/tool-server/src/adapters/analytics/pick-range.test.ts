import { chooseRange, createRangeAnalyser, liquidityProfile, type RangeDoubts, type RangeMarket } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { pickRange } from './pick-range.ts'

/** A pool of even liquidity, told in either order of its tokens. */
function marketOf(inverted: boolean): RangeMarket {
  const [price, quotePerDollar] = inverted ? [1 / 2_000, 1 / 2_000] : [2_000, 1]
  return {
    model: { price, sigma: 0.8, drift: 0, years: 30 / 365 },
    profile: liquidityProfile({
      ticks: [],
      tick: 76_012,
      liquidity: 10n ** 23n,
      decimals0: 18,
      decimals1: 18,
      inverted,
    }),
    feesPerDay: 3_000 * quotePerDollar,
    fee: 0.0005,
    blockSeconds: 12,
    value: 10_000 * quotePerDollar,
    gasCost: 0,
    tickSpacing: 10,
    decimals0: 18,
    decimals1: 18,
  }
}

const pace = { perDay: 3_000, ofLast7Days: 3_000, standardError: 0 }
const unsure = { pace: { ...pace, standardError: 150 }, sigmaError: 0.02 }
const sure = { pace, sigmaError: 0 }
const targetTimeInRange = 0.8
const pick = (inverted: boolean, doubts: RangeDoubts) =>
  pickRange({ market: marketOf(inverted), targetTimeInRange, doubts })

test('lies evenly about the price where no skew is told apart, in both orders of the tokens', () => {
  const [one, other] = [false, true].map((inverted) => pick(inverted, unsure).optimal.bounds)
  expect(Math.log(one!.upper / 2_000)).toBeCloseTo(Math.log(2_000 / one!.lower), 2)
  expect(other!.upper * one!.lower).toBeCloseTo(1, 1)
  expect(other!.lower * one!.upper).toBeCloseTo(1, 1)
})

test('takes the best skew where it is known to earn more', () => {
  const { atTarget, even } = chooseRange(createRangeAnalyser(marketOf(false)), targetTimeInRange)
  expect(atTarget.netApr).toBeGreaterThan(even.netApr)
  expect(pick(false, sure).optimal).toEqual(atTarget)
  expect(pick(false, unsure).optimal).toEqual(even)
})
