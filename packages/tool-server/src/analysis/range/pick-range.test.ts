import { liquidityProfile, type RangeMarket } from '@svc/lp-math'
import { describe, expect, test } from 'vitest'
import { pickRange } from './pick-range.ts'

const tick = 76_012
const raw = 10n ** 23n
const anywhere = { ticks: [], feesPerDay: 3_000, sigma: 0.8, days: 30 }
/** Nothing is provided from just above the price on, so nothing is earned there. */
const below = [
  { tick: tick - 7_000, liquidityNet: raw },
  { tick: tick + 10, liquidityNet: -raw },
]

type Pool = Omit<typeof anywhere, 'ticks'> & { readonly ticks: typeof below }

/** A pool, told in either order of its tokens. */
function marketOf({ ticks, feesPerDay, sigma, days }: Pool, inverted: boolean): RangeMarket {
  const [price, quotePerDollar] = inverted ? [1 / 2_000, 1 / 2_000] : [2_000, 1]
  return {
    model: { price, sigma, drift: 0, years: days / 365 },
    profile: liquidityProfile({ ticks, tick, liquidity: raw, decimals0: 18, decimals1: 18, inverted }),
    feesPerDay: feesPerDay * quotePerDollar,
    feePips: 500,
    blockSeconds: 12,
    value: 10_000 * quotePerDollar,
    gasCost: 0,
    tickSpacing: 10,
    decimals0: 18,
    decimals1: 18,
  }
}

/** The choice in both orders: its bounds in the first, whether it leans, and its net yield and that of the even range. */
function picks(pool: Pool, { target = 0.8, sigmaError = 0.02 } = {}) {
  return [false, true].map((inverted) => {
    const market = marketOf(pool, inverted)
    const perDay = market.feesPerDay
    const doubts = { pace: { perDay, ofLast7Days: perDay, standardError: 0.05 * perDay }, sigmaError }
    const { optimal, leansFrom } = pickRange({ market, targetTimeInRange: target, doubts })
    const { lower, upper } = optimal.bounds
    const bounds = inverted ? { lower: 1 / upper, upper: 1 / lower } : { lower, upper }
    return { lower: bounds.lower, upper: bounds.upper, optimal, leansFrom }
  })
}

describe('the side a range leans to', () => {
  test('is none where no skew is told apart, in both orders of the tokens', () => {
    for (const { lower, upper, leansFrom } of picks(anywhere)) {
      expect(Math.log(upper / 2_000)).toBeCloseTo(Math.log(2_000 / lower), 2)
      expect(leansFrom).toBeUndefined()
    }
  })

  test.each([
    [0.95, 30, 0.534, 0.018],
    [0.8, 30, 1, 0.018],
    [0.95, 7, 0.534, 0.005],
    [0.95, 30, 0.534, 0.005],
    [0.6, 90, 0.534, 0.005],
    [0.8, 90, 0.534, 0.005],
  ])(
    'is none where every range loses, whatever the order: %d of the time of %d days at %d +- %d',
    (target, days, sigma, sigmaError) => {
      const [one, other] = picks({ ...anywhere, feesPerDay: 100, sigma, days }, { target, sigmaError })
      expect(one!.optimal.netApr).toBeLessThan(0)
      expect([one!.leansFrom, other!.leansFrom]).toEqual([undefined, undefined])
      expect(Math.abs(Math.log(one!.upper / other!.upper))).toBeLessThan(0.0025)
      expect(Math.abs(Math.log(one!.lower / other!.lower))).toBeLessThan(0.0025)
    },
  )

  test('is that of the pool where it is known to earn more, in both orders the same range', () => {
    const [one, other] = picks({ ...anywhere, ticks: below }, { target: 0.6 })
    for (const { lower, upper, optimal, leansFrom } of [one!, other!]) {
      expect(Math.log(2_000 / lower)).toBeGreaterThan(1.5 * Math.log(upper / 2_000))
      expect(optimal.netApr).toBeGreaterThan(leansFrom!.netApr)
    }
    expect(Math.abs(Math.log(one!.upper / other!.upper))).toBeLessThan(0.0025)
    expect(Math.abs(Math.log(one!.lower / other!.lower))).toBeLessThan(0.0025)
  })
})

test.each([0.35, 0.44, 0.5, 0.54, 0.62])(
  'the best held earns no less than any range that holds the price as long, on usable ticks: at %d',
  (sigma) => {
    for (const tickSpacing of [60, 200]) {
      for (const targetTimeInRange of [0.6, 0.8, 0.95]) {
        const market = { ...marketOf({ ...anywhere, feesPerDay: 9_000, sigma }, false), tickSpacing }
        const pace = { perDay: 9_000, ofLast7Days: 9_000, standardError: 450 }
        const { optimal, candidates } = pickRange({ market, targetTimeInRange, doubts: { pace, sigmaError: 0.02 } })
        const [best, ...others] = candidates
        const rivals = [optimal, ...others].filter(({ timeInRange }) => timeInRange >= targetTimeInRange)
        const most = Math.max(...rivals.map(({ netApr }) => netApr))
        expect([best?.label, best!.timeInRange >= targetTimeInRange - 1e-3]).toEqual(['best held', true])
        expect(best!.netApr).toBeGreaterThanOrEqual(most - 1e-6)
      }
    }
  },
)
