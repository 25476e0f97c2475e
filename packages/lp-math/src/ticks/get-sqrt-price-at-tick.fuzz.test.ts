import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyTick, fromJsbi, sdk } from '../v3-sdk.fixture.ts'
import { getSqrtPriceAtTick, MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from './ticks.ts'

test('equals the oracle at any tick', () => {
  fc.assert(
    fc.property(anyTick, (tick) => {
      expect(getSqrtPriceAtTick(tick)).toBe(fromJsbi(sdk.TickMath.getSqrtRatioAtTick(tick)))
    }),
    { numRuns: 3000 },
  )
})

test('equals the oracle at every power of two, which covers each factor alone', () => {
  for (let tick = 1; tick <= MAX_TICK; tick *= 2) {
    expect(getSqrtPriceAtTick(tick)).toBe(fromJsbi(sdk.TickMath.getSqrtRatioAtTick(tick)))
    expect(getSqrtPriceAtTick(-tick)).toBe(fromJsbi(sdk.TickMath.getSqrtRatioAtTick(-tick)))
  }
})

test('the bounds are the prices at the outermost ticks', () => {
  expect(getSqrtPriceAtTick(MIN_TICK)).toBe(MIN_SQRT_PRICE)
  expect(getSqrtPriceAtTick(MAX_TICK)).toBe(MAX_SQRT_PRICE)
  expect(getSqrtPriceAtTick(0)).toBe(2n ** 96n)
})

test('a higher tick has a higher price', () => {
  fc.assert(
    fc.property(anyTick, (tick) => {
      fc.pre(tick < MAX_TICK)
      expect(getSqrtPriceAtTick(tick + 1)).toBeGreaterThan(getSqrtPriceAtTick(tick))
    }),
  )
})

test.each([MIN_TICK - 1, MAX_TICK + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses tick %s', (tick) => {
  expect(() => getSqrtPriceAtTick(tick)).toThrow(expect.objectContaining({ code: 'TICK_OUT_OF_RANGE' }))
})
