import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyTick, sdk } from '../v3-sdk.fixture.ts'
import { fullRangeTicks, MAX_TICK, MIN_TICK, nearestUsableTick } from './ticks.ts'

const anySpacing = fc.oneof(fc.constantFrom(1, 10, 60, 200), fc.integer({ min: 1, max: 32767 }))

test('equals the oracle, and is never minus zero', () => {
  fc.assert(
    fc.property(anyTick, anySpacing, (tick, tickSpacing) => {
      const usable = nearestUsableTick(tick, tickSpacing)
      expect(usable === sdk.nearestUsableTick(tick, tickSpacing)).toBe(true)
      expect(Object.is(usable, -0)).toBe(false)
    }),
    { numRuns: 2000 },
  )
  expect(Object.is(nearestUsableTick(-3, 60), 0)).toBe(true)
})

test('a usable tick lies in the full range and is its own nearest', () => {
  fc.assert(
    fc.property(anyTick, anySpacing, (tick, tickSpacing) => {
      const usable = nearestUsableTick(tick, tickSpacing)
      const { tickLower, tickUpper } = fullRangeTicks(tickSpacing)
      expect(usable).toBeGreaterThanOrEqual(tickLower)
      expect(usable).toBeLessThanOrEqual(tickUpper)
      expect(nearestUsableTick(usable, tickSpacing)).toBe(usable)
    }),
  )
})

test('the full range is the widest one', () => {
  expect(fullRangeTicks(1)).toEqual({ tickLower: MIN_TICK, tickUpper: MAX_TICK })
  expect(fullRangeTicks(60)).toEqual({ tickLower: -887220, tickUpper: 887220 })
  expect(fullRangeTicks(200)).toEqual({ tickLower: -887200, tickUpper: 887200 })
})

test('refuses what is no tick or no spacing', () => {
  expect(() => nearestUsableTick(0.5, 60)).toThrow(expect.objectContaining({ code: 'TICK_OUT_OF_RANGE' }))
  expect(() => nearestUsableTick(MAX_TICK + 1, 60)).toThrow(expect.objectContaining({ code: 'TICK_OUT_OF_RANGE' }))
  for (const spacing of [0, -1, 1.5, 32768, Number.NaN]) {
    const refusal = expect.objectContaining({ code: 'TICK_SPACING_OUT_OF_RANGE' })
    expect(() => nearestUsableTick(0, spacing)).toThrow(refusal)
    expect(() => fullRangeTicks(spacing)).toThrow(refusal)
  }
})
