import { expect, test } from 'vitest'
import { sdk } from '../v3-sdk.fixture.ts'
import { tickSpacingForFee } from './ticks.ts'

test.each([100, 500, 3000, 10000] as const)('fee %s has the spacing of the oracle', (fee) => {
  expect(tickSpacingForFee(fee)).toBe(sdk.TICK_SPACINGS[fee])
})

test.each([0, 200, 3001, Number.NaN])('refuses fee %s', (fee) => {
  expect(() => tickSpacingForFee(fee)).toThrow(expect.objectContaining({ code: 'FEE_UNKNOWN' }))
})
