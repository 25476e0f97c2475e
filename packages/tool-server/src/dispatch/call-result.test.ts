import { ToolError } from '@svc/amm'
import { describe, expect, test } from 'vitest'
import { type CallResult, errorResult, resultJson, roundFigures, successResult } from './call-result.ts'

test.each<readonly [string, CallResult]>([
  ['a success', successResult({ items: [1, 'two \u2028"', null], rate: 0.1 })],
  ['one with a picture', successResult({ at: 1 }, [{ type: 'text', text: 'no picture' }])],
  ['one with a drawing for a view', { ...successResult({ at: 1 }), _meta: {} }],
  ['a failure', errorResult(new ToolError('RPC_TIMEOUT', 'Not now.'))],
])('%s is written as JSON.stringify writes it, with what is added', (_what, result) => {
  expect(resultJson(result)).toBe(JSON.stringify(result))
  const more = { resultType: 'complete', _meta: { ...result._meta, about: 'us' } }
  expect(JSON.parse(resultJson(result, more))).toEqual({ ...result, ...more })
})

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

  test('what is given stays as it was, and of an answer the parts without such figures are not copied', () => {
    const answer = { plain: { amount: '1' }, rows: [{ priceUsd: 1.23456789 }, { tick: 1 }] }
    const rounded = roundFigures(answer)
    expect(rounded).toEqual({ plain: { amount: '1' }, rows: [{ priceUsd: 1.23457 }, { tick: 1 }] })
    expect(answer.rows[0]).toEqual({ priceUsd: 1.23456789 })
    expect(rounded.plain).toBe(answer.plain)
  })
})
