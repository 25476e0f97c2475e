import { describe, expect, test } from 'vitest'
import { arbitrageShare, breakEvenSigma } from './expected-il.ts'

describe('the part of LVR that arbitrageurs keep', () => {
  test('is everything without a fee, nothing without volatility, and grows with block time', () => {
    expect(arbitrageShare({ feePips: 0, sigma: 0, blockSeconds: 12 })).toBe(1)
    expect(arbitrageShare({ feePips: 3000, sigma: 0, blockSeconds: 12 })).toBe(0)
    const [quick, slow] = [2, 12].map((blockSeconds) => arbitrageShare({ feePips: 3000, sigma: 1, blockSeconds }))
    expect(quick).toBeLessThan(slow ?? 0)
  })

  test.each([
    [{ feePips: -1 }, 'FEE_OUT_OF_RANGE'],
    [{ feePips: 1e6 }, 'FEE_OUT_OF_RANGE'],
    [{ sigma: Number.NaN }, 'SIGMA_OUT_OF_RANGE'],
    [{ blockSeconds: 0 }, 'YEARS_OUT_OF_RANGE'],
    [{ blockSeconds: Number.POSITIVE_INFINITY }, 'YEARS_OUT_OF_RANGE'],
  ])('refuses %o', (change, code) => {
    expect(() => arbitrageShare({ feePips: 3000, sigma: 1, blockSeconds: 12, ...change })).toThrow(
      expect.objectContaining({ code }),
    )
  })

  test('the volatility that eats a full range’s fees: the root of eight times the yield', () => {
    // 75.3 % a year costs 7.1 %.
    expect(breakEvenSigma(0.753 ** 2 / 8)).toBeCloseTo(0.753, 14)
    expect(breakEvenSigma(0)).toBe(0)
    for (const feeApr of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => breakEvenSigma(feeApr)).toThrow(expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }))
    }
  })
})
