import type { Outflow } from '@svc/store'
import { describe, expect, it } from 'vitest'
import { type BalanceSample, hasFallen, type WorthNow, withSample } from './balance-samples.ts'

const usd = (dollars: number) => BigInt(dollars) * 1_000_000n
const amountsOf = (amounts: Readonly<Record<string, number>>) =>
  new Map(Object.entries(amounts).map(([token, amount]) => [token, BigInt(amount)]))
const sample = (at: number, amounts: Readonly<Record<string, number>>): BalanceSample => ({
  at,
  amounts: amountsOf(amounts),
})
/** Dollars for one unit; tokens that are not named are left out. */
const at =
  (prices: Readonly<Record<string, number>>): WorthNow =>
  (token, amount) => {
    const price = prices[token]
    return price === undefined ? null : amount * usd(price)
  }
const went = (amounts: Readonly<Record<string, number>>, settledAt: number | null, dollars = 0): Outflow => ({
  usdMicros: usd(dollars),
  amounts: amountsOf(amounts),
  settledAt,
})
const inDollars = (dollars: number, settledAt: number | null): Outflow => ({
  usdMicros: usd(dollars),
  amounts: null,
  settledAt,
})
const even = at({ eth: 1, usdc: 1 })

describe('a fall of the balance', () => {
  const then = [sample(1_000, { eth: 600, usdc: 400 })]

  it('counts beyond the percentage, in whatever token', () => {
    expect(hasFallen(then, sample(2_000, { eth: 600, usdc: 200 }), [], 20, even)).toBe(false)
    expect(hasFallen(then, sample(2_000, { eth: 599, usdc: 200 }), [], 20, even)).toBe(true)
    expect(hasFallen(then, sample(2_000, { eth: 900, usdc: 0 }), [], 20, even)).toBe(false)
  })

  it.each([
    ['by token', (spent: number, settledAt: number | null) => went({ usdc: spent }, settledAt, spent)],
    ['in dollars alone', inDollars],
  ])('leaves out what was spent on record since, %s', (_how, spent) => {
    const now = sample(2_000, { eth: 600, usdc: 0 })
    expect(hasFallen(then, now, [spent(400, 1_500)], 20, even)).toBe(false)
    expect(hasFallen(then, now, [spent(400, null)], 20, even)).toBe(false)
    expect(hasFallen(then, now, [spent(400, 999)], 20, even)).toBe(true)
    expect(hasFallen(then, now, [spent(250, 1_500)], 20, even)).toBe(false)
    expect(hasFallen(then, now, [spent(200, 1_500)], 20, even)).toBe(true)
  })

  it('counts from the highest of the window, each less what went out since', () => {
    const samples = [sample(1_000, { usdc: 500 }), sample(1_100, { usdc: 1_000 }), sample(1_200, { usdc: 900 })]
    expect(hasFallen(samples, sample(2_000, { usdc: 799 }), [], 20, even)).toBe(true)
    expect(hasFallen(samples, sample(2_000, { usdc: 799 }), [went({ usdc: 100 }, 1_150)], 20, even)).toBe(false)
  })

  it('is no fall of a price, nor one that rises and falls again', () => {
    for (const price of [1, 9, 1_000]) {
      expect(hasFallen(then, sample(2_000, { eth: 600, usdc: 400 }), [], 20, at({ eth: price, usdc: 1 }))).toBe(false)
    }
  })

  it('is none where a price has risen since what was spent at it, however far', () => {
    const now = sample(2_000, { eth: 1, usdc: 400 })
    for (const price of [1, 9, 1_000]) {
      const worth = at({ eth: price, usdc: 1 })
      expect(hasFallen(then, now, [went({ eth: 599 }, 1_500, 599)], 20, worth)).toBe(false)
      expect(hasFallen(then, now, [went({ eth: 599 }, null, 599)], 20, worth)).toBe(false)
    }
  })

  it('is not hidden by what was spent at a price that has fallen since', () => {
    const now = sample(2_000, { eth: 0, usdc: 100 })
    const worth = at({ eth: 0, usdc: 1 })
    expect(hasFallen(then, now, [went({ eth: 600 }, 1_500, 600)], 20, worth)).toBe(true)
  })

  it('counts what is on its way as booked where that is more: fees may have risen', () => {
    const now = sample(2_000, { usdc: 50 })
    const samples = [sample(1_000, { usdc: 100 })]
    expect(hasFallen(samples, now, [went({ usdc: 20 }, null, 50)], 20, even)).toBe(false)
    expect(hasFallen(samples, now, [went({ usdc: 20 }, 1_500, 50)], 20, even)).toBe(true)
  })

  it('compares only what was read both times and has a price now, and leaves the rest out of what went, too', () => {
    expect(hasFallen(then, sample(2_000, { eth: 600 }), [], 20, even)).toBe(false)
    expect(hasFallen(then, sample(2_000, { eth: 100 }), [], 20, even)).toBe(true)
    expect(hasFallen(then, sample(2_000, { eth: 600, usdc: 0 }), [], 20, at({ eth: 1 }))).toBe(false)
    const stolen = sample(2_000, { eth: 100, usdc: 0 })
    expect(hasFallen(then, stolen, [went({ usdc: 400 }, 1_500)], 20, at({ eth: 1 }))).toBe(true)
    expect(hasFallen(then, stolen, [went({ usdc: 400 }, 1_500)], 20, at({}))).toBe(false)
    expect(hasFallen(then, sample(2_000, {}), [], 1, even)).toBe(false)
  })

  it('says nothing of less than a dollar', () => {
    expect(hasFallen([sample(1_000, { usdc: 1 })], sample(2_000, { usdc: 0 }), [], 20, even)).toBe(true)
    expect(hasFallen([sample(1_000, { usdc: 1 })], sample(2_000, { usdc: 0 }), [], 20, () => 999_999n)).toBe(false)
  })
})

describe('the samples kept', () => {
  it('are those worth most now of each thirtieth of the window, and none from outside it', () => {
    let samples: readonly BalanceSample[] = []
    for (const [time, usdc] of [
      [0, 5],
      [30, 7],
      [60, 6],
      [150, 1],
      [3_050, 2],
    ] as const) {
      samples = withSample(samples, sample(time, { usdc }), 3_000, even)
    }
    expect(samples).toEqual([sample(150, { usdc: 1 }), sample(3_050, { usdc: 2 })])
    expect(withSample([sample(9_000, { usdc: 9 })], sample(100, { usdc: 1 }), 3_000, even)).toEqual([
      sample(100, { usdc: 1 }),
    ])
    const twice = withSample([sample(30, { usdc: 7 })], sample(60, { usdc: 6 }), 3_000, even)
    expect(twice).toEqual([sample(30, { usdc: 7 })])
    // What has no price now makes none the better.
    const unpriced = withSample(
      [sample(30, { usdc: 7, eth: 1 })],
      sample(60, { usdc: 7, eth: 9 }),
      3_000,
      at({ usdc: 1 }),
    )
    expect(unpriced).toEqual([sample(30, { usdc: 7, eth: 1 })])
  })
})
