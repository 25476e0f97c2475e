import { expect, test } from 'vitest'
import { lpFeeShare } from './pool-state.ts'

test('v3 takes one n-th of the fee, with a denominator for each token', () => {
  const pool = { version: 'v3', protocolFee: 4 + (10 << 4) } as const
  expect(lpFeeShare(pool, 3000, true)).toBe(0.75)
  expect(lpFeeShare(pool, 3000, false)).toBe(0.9)
  expect(lpFeeShare({ version: 'v3', protocolFee: 0 }, 3000, true)).toBe(1)
})

test('v4 takes pips of the input out of the fee of the log', () => {
  const pool = { version: 'v4', protocolFee: 500 + (1000 << 12) } as const
  expect(lpFeeShare(pool, 4000, true)).toBe(0.875)
  expect(lpFeeShare(pool, 4000, false)).toBe(0.75)
  expect(lpFeeShare(pool, 0, false)).toBe(1)
})

test('v2 pairs pay it in shares, not in fees', () => {
  expect(lpFeeShare({ version: 'v2', protocolFee: 0 }, 3000, true)).toBe(1)
})
