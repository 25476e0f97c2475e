import { describe, expect, it } from 'vitest'
import { type BalanceSample, hasFallen, nativeHasFallen, withSample } from './balance-samples.ts'

const usd = (dollars: number) => BigInt(dollars) * 1_000_000n
const sample = (at: number, worth: Readonly<Record<string, number>>): BalanceSample => ({
  at,
  nativeWei: 0n,
  worth: new Map(Object.entries(worth).map(([token, dollars]) => [token, usd(dollars)])),
})
const spent = (dollars: number, settledAt: number | null) => ({ usdMicros: usd(dollars), settledAt })

describe('a fall of the balance', () => {
  const then = [sample(1_000, { eth: 600, usdc: 400 })]

  it('counts beyond the percentage, in whatever token', () => {
    expect(hasFallen(then, sample(2_000, { eth: 600, usdc: 200 }), [], 20)).toBe(false)
    expect(hasFallen(then, sample(2_000, { eth: 599, usdc: 200 }), [], 20)).toBe(true)
    expect(hasFallen(then, sample(2_000, { eth: 900, usdc: 0 }), [], 20)).toBe(false)
  })

  it('leaves out what was spent on record since', () => {
    const now = sample(2_000, { eth: 600, usdc: 0 })
    expect(hasFallen(then, now, [spent(400, 1_500)], 20)).toBe(false)
    expect(hasFallen(then, now, [spent(400, null)], 20)).toBe(false)
    expect(hasFallen(then, now, [spent(400, 999)], 20)).toBe(true)
    expect(hasFallen(then, now, [spent(250, 1_500)], 20)).toBe(false)
    expect(hasFallen(then, now, [spent(200, 1_500)], 20)).toBe(true)
  })

  it('counts from the highest of the window, each less what went out since', () => {
    const samples = [sample(1_000, { usdc: 500 }), sample(1_100, { usdc: 1_000 }), sample(1_200, { usdc: 900 })]
    expect(hasFallen(samples, sample(2_000, { usdc: 799 }), [], 20)).toBe(true)
    expect(hasFallen(samples, sample(2_000, { usdc: 799 }), [spent(100, 1_150)], 20)).toBe(false)
  })

  it('compares only what had a price both times', () => {
    expect(hasFallen(then, sample(2_000, { eth: 600 }), [], 20)).toBe(false)
    expect(hasFallen(then, sample(2_000, { eth: 100 }), [], 20)).toBe(true)
    expect(hasFallen(then, sample(2_000, {}), [], 1)).toBe(false)
  })
})

describe('a fall of native currency alone', () => {
  const coins = (at: number, nativeWei: bigint): BalanceSample => ({ ...sample(at, { usdc: 1_000_000 }), nativeWei })
  const worth = (wei: bigint) => usd(Number(wei) * 100)
  const then = [coins(1_000, 10n)]

  it('counts beyond the percentage, however much the tokens beside it are worth', () => {
    expect(nativeHasFallen(then, 8n, [], 20, worth)).toBe(false)
    expect(nativeHasFallen(then, 7n, [], 20, worth)).toBe(true)
    expect(nativeHasFallen([...then, coins(1_500, 12n)], 9n, [], 20, worth)).toBe(true)
  })

  it('leaves out what went out on record since, amounts and gas', () => {
    expect(nativeHasFallen(then, 5n, [spent(400, 1_500)], 20, worth)).toBe(false)
    expect(nativeHasFallen(then, 5n, [spent(300, null)], 20, worth)).toBe(true)
    expect(nativeHasFallen(then, 5n, [spent(400, 999)], 20, worth)).toBe(true)
  })

  it('says nothing of a price that falls, nor without one', () => {
    expect(nativeHasFallen(then, 10n, [], 20, (wei) => usd(Number(wei)))).toBe(false)
    expect(nativeHasFallen(then, 0n, [], 20, () => null)).toBe(false)
  })
})

describe('the samples kept', () => {
  it('are the highest of each thirtieth of the window, and none from outside it', () => {
    let samples: readonly BalanceSample[] = []
    for (const [at, usdc] of [
      [0, 5],
      [30, 7],
      [60, 6],
      [150, 1],
      [3_050, 2],
    ] as const) {
      samples = withSample(samples, sample(at, { usdc }), 3_000)
    }
    expect(samples).toEqual([sample(150, { usdc: 1 }), sample(3_050, { usdc: 2 })])
    expect(withSample([sample(9_000, { usdc: 9 })], sample(100, { usdc: 1 }), 3_000)).toEqual([
      sample(100, { usdc: 1 }),
    ])
    const twice = withSample([sample(30, { usdc: 7 })], sample(60, { usdc: 6 }), 3_000)
    expect(twice).toEqual([sample(30, { usdc: 7 })])
  })
})
