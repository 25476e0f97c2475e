import { describe, expect, test } from 'vitest'
import { roundFigures } from './call-result.ts'

describe('the figures of an answer', () => {
  test.each<readonly [string, number, number]>([
    ['priceLower', 2519.9921109709812, 2519.99],
    ['priceInverse', 0.00033659713704735735, 0.000336597],
    ['expectedNetApr', -46.0812345678, -46.0812],
    ['maxFeeGwei', 1.5e-9, 1.5e-9],
    ['tvlUsd', 13_596_689.43067, 13_596_700],
    ['volume7dUsd', 71_057_120.192739, 71_057_100],
    ['priceUsd', 2979.8300092500003, 2979.83],
    ['feeDrift', -1e-320, -1e-320],
    ['expectedNetAprError', 2.7281599, 2.73],
    ['maxStandardErrorsOff', 1.93402, 1.93],
  ])('%s has six digits, an error three', (name, value, rounded) => {
    expect(roundFigures({ [name]: value })).toEqual({ [name]: rounded })
    expect(roundFigures({ items: [{ [name]: [value, null] }] })).toEqual({ items: [{ [name]: [rounded, null] }] })
  })

  test('dollars of the owner add up to the cent, however many they are', () => {
    const [ilUsd, feesUsd, marketUsd, gasUsd] = [-1_234_567.891234, 98_765.432198, 7_654_321.123456, 12.345678]
    const rounded = roundFigures({ ilUsd, feesUsd, marketUsd, gasUsd, netPnlUsd: ilUsd + feesUsd + marketUsd - gasUsd })
    expect(rounded).toMatchObject({ ilUsd: -1_234_567.8912, gasUsd: 12.3457 })
    expect(rounded.netPnlUsd).toBeCloseTo(rounded.ilUsd + rounded.feesUsd + rounded.marketUsd - rounded.gasUsd, 3)
    expect(roundFigures({ usd: 148_991.500463 })).toEqual({ usd: 148_991.5005 })
  })

  test('whole numbers, text and what else is no figure stay as they are', () => {
    const answer = {
      blockNumber: 123_456_789,
      tick: -887_272,
      amount: '1.234567890123456789',
      at: null,
      isIn: true,
      rows: [],
    }
    expect(roundFigures(answer)).toEqual(answer)
  })
})
