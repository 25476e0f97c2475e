import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyTick, upToBits } from '../v3-sdk.fixture.ts'
import { unpackPositionInfo } from './v4-pool-state.ts'

test('reads back what was packed, whatever the pool id', () => {
  fc.assert(
    fc.property(anyTick, anyTick, fc.boolean(), upToBits(200), (tickLower, tickUpper, hasSubscriber, poolId) => {
      const packed =
        (poolId << 56n) |
        (BigInt.asUintN(24, BigInt(tickUpper)) << 32n) |
        (BigInt.asUintN(24, BigInt(tickLower)) << 8n) |
        (hasSubscriber ? 1n : 0n)
      expect(unpackPositionInfo(packed)).toEqual({ tickLower, tickUpper, hasSubscriber })
    }),
  )
})

test('an empty info is an empty range', () => {
  expect(unpackPositionInfo(0n)).toEqual({ tickLower: 0, tickUpper: 0, hasSubscriber: false })
})
