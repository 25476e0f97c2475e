import { chooseRange, createRangeAnalyser, liquidityProfile } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { pickRange } from './pick-range.ts'

/** A pool of even liquidity, told in either order of its tokens. */
function analyserOf(inverted: boolean) {
  const [price, quotePerDollar] = inverted ? [1 / 2_000, 1 / 2_000] : [2_000, 1]
  return createRangeAnalyser({
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
  })
}

const unsure = { feeUncertaintyPct: () => 5, sigmaError: 0.02 }
const sure = { feeUncertaintyPct: () => 0, sigmaError: 0 }

test('lies evenly about the price where no skew is told apart, in both orders of the tokens', () => {
  const [one, other] = [false, true].map((inverted) => pickRange(analyserOf(inverted), 0.8, unsure).optimal.bounds)
  expect(Math.log(one!.upper / 2_000)).toBeCloseTo(Math.log(2_000 / one!.lower), 2)
  expect(other!.upper * one!.lower).toBeCloseTo(1, 1)
  expect(other!.lower * one!.upper).toBeCloseTo(1, 1)
})

test('takes the best skew where it is known to earn more', () => {
  const analyser = analyserOf(false)
  const { atTarget, even } = chooseRange(analyser, 0.8)
  expect(atTarget.netApr).toBeGreaterThan(even.netApr)
  expect(pickRange(analyser, 0.8, sure).optimal).toEqual(atTarget)
  expect(pickRange(analyser, 0.8, unsure).optimal).toEqual(even)
})
