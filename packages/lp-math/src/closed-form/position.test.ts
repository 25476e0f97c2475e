import { describe, expect, test } from 'vitest'
import { CASES } from './closed-form.fixture.ts'
import { hodlValue, impermanentLoss, positionAmounts, positionValue } from './position-value.ts'
import { lvrRate } from './expected-il.ts'

const FULL = { lower: 0, upper: Number.POSITIVE_INFINITY }

describe('a position of liquidity 1', () => {
  test.each([
    [0.25, 0.25 * (1 / Math.sqrt(0.5) - 1 / Math.sqrt(2))],
    [0.5, 0.5 * (1 / Math.sqrt(0.5) - 1 / Math.sqrt(2))],
    [1, 2 - Math.sqrt(0.5) - 1 / Math.sqrt(2)],
    [2, Math.sqrt(2) - Math.sqrt(0.5)],
    [8, Math.sqrt(2) - Math.sqrt(0.5)],
  ])('is worth what the whitepaper says at %d', (price, value) => {
    expect(positionValue({ lower: 0.5, upper: 2 }, price)).toBeCloseTo(value, 15)
  })

  test('holds the other token alone on either side of its range, and is refused bounds and prices that are none', () => {
    const bounds = { lower: 0.5, upper: 2 }
    expect(positionAmounts(bounds, 0.4).amount1).toBe(0)
    expect(positionAmounts(bounds, 2).amount0).toBe(0)
    expect(positionAmounts(bounds, 0.4).amount0).toBeCloseTo(Math.SQRT2 - Math.SQRT1_2, 15)
    expect(() => positionAmounts(bounds, 0)).toThrow(expect.objectContaining({ code: 'PRICE_OUT_OF_RANGE' }))
    expect(() => positionAmounts({ lower: 2, upper: 2 }, 1)).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
  })

  test('is worth twice the root of the price over the full range', () => {
    expect(positionValue(FULL, 1e-18)).toBeCloseTo(2e-9, 24)
    expect(positionValue(FULL, 1e18)).toBe(2e9)
  })

  test('keeps its digits in a range of one tick', () => {
    // 2√P - √a - P/√b with 40 digits.
    expect(positionValue({ lower: 0.99995, upper: 1.00005 }, 1) / 4.999937504692354e-5).toBeCloseTo(1, 12)
  })

  test.each(CASES)('is worth its tokens when it is opened: %s', (_, bounds, { price }) => {
    expect(hodlValue(bounds, price, price)).toBe(positionValue(bounds, price))
    expect(impermanentLoss(bounds, price, price)).toBe(0)
  })

  test('loses 2√r/(1 + r) - 1 over the full range, with all digits of the smallest move', () => {
    for (const ratio of [1e-6, 0.25, 4, 1e6]) {
      expect(impermanentLoss(FULL, 3, 3 * ratio)).toBeCloseTo((2 * Math.sqrt(ratio)) / (1 + ratio) - 1, 14)
    }
    // -ε²/8 + ε³/8 for a move by ε = 1e-8.
    expect(impermanentLoss(FULL, 1, 1 + 1e-8) / -1.25e-17).toBeCloseTo(1, 6)
  })

  test('never loses more than all, however far the price went', () => {
    const bounds = { lower: 1.7232124818828272, upper: 3.713933049871001 }
    expect(impermanentLoss(bounds, 0.3299216164351334, 2.1986786332132545e145)).toBe(-1)
  })

  test('is the same seen from the other token: value over price, the loss itself', () => {
    const [bounds, mirrored] = [
      { lower: 0.5, upper: 2.5 },
      { lower: 1 / 2.5, upper: 1 / 0.5 },
    ]
    for (const price of [0.1, 0.7, 1, 2, 9]) {
      expect(positionValue(bounds, price) / price).toBeCloseTo(positionValue(mirrored, 1 / price), 14)
      expect(impermanentLoss(bounds, 1.1, price)).toBeCloseTo(impermanentLoss(mirrored, 1 / 1.1, 1 / price), 14)
    }
  })

  test('makes LVR of -sigma²P²V″/2 in its range, an eighth of sigma² of its value over the full range', () => {
    const bounds = { lower: 0.5, upper: 2 }
    const step = 1e-3
    const bend = positionValue(bounds, 1 + step) - 2 * positionValue(bounds, 1) + positionValue(bounds, 1 - step)
    expect(lvrRate(bounds, 1, 0.8)).toBeCloseTo((-0.64 * bend) / step ** 2 / 2, 6)
    expect(lvrRate(FULL, 7, 0.8) / positionValue(FULL, 7)).toBeCloseTo(0.64 / 8, 15)
    expect([lvrRate(bounds, 2, 0.8), lvrRate(bounds, 0.4, 0.8), lvrRate(bounds, 1, 0)]).toEqual([0, 0, 0])
    expect(lvrRate(bounds, 0.5, 0.8)).toBeGreaterThan(0)
  })

  test('refuses bounds and prices that mean nothing', () => {
    const bounds = { lower: 1, upper: 2 }
    const refusal = (code: string) => expect.objectContaining({ code })
    for (const price of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => positionValue(bounds, price)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
      expect(() => hodlValue(bounds, price, 1)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
      expect(() => hodlValue(bounds, 1, price)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
      expect(() => impermanentLoss(bounds, price, 1)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
      expect(() => impermanentLoss(bounds, 1, price)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
      expect(() => lvrRate(bounds, price, 1)).toThrow(refusal('PRICE_OUT_OF_RANGE'))
    }
    expect(() => positionValue({ lower: 2, upper: 1 }, 1)).toThrow(refusal('RANGE_EMPTY'))
    expect(() => impermanentLoss({ lower: 2, upper: 2 }, 1, 1)).toThrow(refusal('RANGE_EMPTY'))
    expect(() => lvrRate(bounds, 1, -1)).toThrow(refusal('SIGMA_OUT_OF_RANGE'))
  })
})
