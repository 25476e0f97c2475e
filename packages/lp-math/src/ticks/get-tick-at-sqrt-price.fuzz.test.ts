import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anySqrtPrice, anyTick, sdk, toJsbi } from '../v3-sdk.fixture.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice, MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from './ticks.ts'

test('equals the oracle at any price', () => {
  fc.assert(
    fc.property(anySqrtPrice, (sqrtPriceX96) => {
      expect(getTickAtSqrtPrice(sqrtPriceX96)).toBe(sdk.TickMath.getTickAtSqrtRatio(toJsbi(sqrtPriceX96)))
    }),
    { numRuns: 2000 },
  )
})

test('turns exactly at the price of a tick', () => {
  fc.assert(
    fc.property(anyTick, (tick) => {
      fc.pre(tick > MIN_TICK && tick < MAX_TICK)
      const sqrtPriceX96 = getSqrtPriceAtTick(tick)
      expect(getTickAtSqrtPrice(sqrtPriceX96)).toBe(tick)
      expect(getTickAtSqrtPrice(sqrtPriceX96 - 1n)).toBe(tick - 1)
    }),
    { numRuns: 3000 },
  )
})

test('reaches both ends', () => {
  expect(getTickAtSqrtPrice(MIN_SQRT_PRICE)).toBe(MIN_TICK)
  expect(getTickAtSqrtPrice(MAX_SQRT_PRICE - 1n)).toBe(MAX_TICK - 1)
})

test.each([MIN_SQRT_PRICE - 1n, MAX_SQRT_PRICE, 0n, -1n])('refuses sqrt price %s', (sqrtPriceX96) => {
  expect(() => getTickAtSqrtPrice(sqrtPriceX96)).toThrow(expect.objectContaining({ code: 'SQRT_PRICE_OUT_OF_RANGE' }))
})
