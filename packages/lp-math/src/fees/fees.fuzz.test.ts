import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyPool, bookkeepingPool } from '../pool.fixture.ts'
import { anyLiquidity, anyTick, fromJsbi, sdk, toJsbi, upToBits } from '../v3-sdk.fixture.ts'
import { feesOwed, getFeeGrowthInside, v4SwapFee } from './fees.ts'
import { unpackProtocolFee } from './fee-growth-from-swaps-in-steps.ts'

const anyGrowth = upToBits(256)
const anyOutside = fc.record({ feeGrowthOutside0X128: anyGrowth, feeGrowthOutside1X128: anyGrowth })

describe('fee growth inside', () => {
  test('equals the oracle, wrap-around included', () => {
    fc.assert(
      fc.property(
        fc.tuple(anyTick, anyTick, anyTick),
        fc.constantFrom('anywhere', 'at the lower tick', 'at the upper tick'),
        fc.tuple(anyGrowth, anyGrowth),
        fc.tuple(anyOutside, anyOutside),
        ([anywhere, a, b], place, [global0, global1], [lower, upper]) => {
          fc.pre(a !== b)
          const [tickLower, tickUpper] = a < b ? [a, b] : [b, a]
          const atTick = place === 'at the lower tick' ? tickLower : tickUpper
          const tickCurrent = place === 'anywhere' ? anywhere : atTick
          const record = (outside: typeof lower) => ({
            feeGrowthOutside0X128: toJsbi(outside.feeGrowthOutside0X128),
            feeGrowthOutside1X128: toJsbi(outside.feeGrowthOutside1X128),
          })
          const theirs = sdk.TickLibrary.getFeeGrowthInside(
            record(lower),
            record(upper),
            tickLower,
            tickUpper,
            tickCurrent,
            toJsbi(global0),
            toJsbi(global1),
          ).map(fromJsbi)
          const own = getFeeGrowthInside({
            tickCurrent,
            tickLower,
            tickUpper,
            feeGrowthGlobal0X128: global0,
            feeGrowthGlobal1X128: global1,
            lower,
            upper,
          })
          expect([own.feeGrowthInside0X128, own.feeGrowthInside1X128]).toEqual(theirs)
        },
      ),
      { numRuns: 1500 },
    )
  })
})

describe('fees owed', () => {
  test('equal the oracle while they fit 128 bits', () => {
    fc.assert(
      fc.property(anyGrowth, anyGrowth, anyLiquidity, (last, now, liquidity) => {
        const theirs = sdk.PositionLibrary.getTokensOwed(
          toJsbi(last),
          toJsbi(0n),
          toJsbi(liquidity),
          toJsbi(now),
          toJsbi(0n),
        ).map(fromJsbi)
        expect(feesOwed(liquidity, now, last)).toBe(BigInt.asUintN(128, theirs[0]!))
      }),
      { numRuns: 1500 },
    )
  })

  test('wrap with the growth', () => {
    expect(feesOwed(2n, 2n ** 127n, 2n ** 256n - 2n ** 127n)).toBe(2n)
    expect(() => feesOwed(-1n, 0n, 0n)).toThrow(expect.objectContaining({ code: 'LIQUIDITY_OUT_OF_RANGE' }))
  })

  test('of all positions together never exceed what the swaps paid, and fall short by units only', () => {
    const anySwap = fc.record({ zeroForOne: fc.boolean(), amount: upToBits(70) })
    fc.assert(
      fc.property(
        anyPool({ fullRange: true, maxTick: 50_000 }),
        fc.array(anySwap, { minLength: 1, maxLength: 12 }),
        ({ state, positions }, swaps) => {
          const pool = bookkeepingPool(state)
          const before = positions.map(({ tickLower, tickUpper }) => pool.growthInside(tickLower, tickUpper))
          for (const { zeroForOne, amount } of swaps) pool.swap(zeroForOne, amount)
          const owed = [0n, 0n]
          for (const [index, { tickLower, tickUpper, liquidity }] of positions.entries()) {
            const now = pool.growthInside(tickLower, tickUpper)
            const last = before[index]!
            owed[0]! += feesOwed(liquidity, now.feeGrowthInside0X128, last.feeGrowthInside0X128)
            owed[1]! += feesOwed(liquidity, now.feeGrowthInside1X128, last.feeGrowthInside1X128)
          }
          for (const [index, paid] of pool.feesPaid().entries()) {
            expect(owed[index]!).toBeLessThanOrEqual(paid)
            expect(paid - owed[index]!).toBeLessThanOrEqual(BigInt(positions.length + swaps.length * 20))
          }
        },
      ),
      { numRuns: 150 },
    )
  })
})

test('fee growth inside refuses a range turned round, or of no width', () => {
  const outside = { feeGrowthOutside0X128: 0n, feeGrowthOutside1X128: 0n }
  const growth = { feeGrowthGlobal0X128: 1n, feeGrowthGlobal1X128: 1n, lower: outside, upper: outside }
  for (const [tickLower, tickUpper] of [
    [60, -60],
    [60, 60],
    [Number.NaN, 60],
  ] as const) {
    const inside = () => getFeeGrowthInside({ ...growth, tickCurrent: 0, tickLower, tickUpper })
    expect(inside).toThrow(expect.objectContaining({ code: 'RANGE_EMPTY' }))
  }
})

describe('protocol fee', () => {
  test('is unpacked as each version packs it', () => {
    expect(unpackProtocolFee('v3', 0x64)).toEqual({ version: 'v3', denominator0: 4, denominator1: 6 })
    expect(unpackProtocolFee('v4', (1000 << 12) | 7)).toEqual({ version: 'v4', pips0: 7, pips1: 1000 })
  })

  test('and the fee of providers make the whole fee of a v4 swap', () => {
    expect(v4SwapFee(0, 3000)).toBe(3000)
    expect(v4SwapFee(1000, 3000)).toBe(3997)
    expect(v4SwapFee(1000, 1_000_000)).toBe(1_000_000)
    for (const [protocol, lp] of [
      [0.5, 3000],
      [1000, 3000.5],
      [-1, 3000],
      [1000, 1_000_001],
      [Number.NaN, 0],
    ] as const) {
      expect(() => v4SwapFee(protocol, lp)).toThrow(expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }))
    }
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1_000_000 }), (protocol, lp) => {
        // protocol + lp * (1 - protocol), rounded up.
        const exact = BigInt(protocol) * 1_000_000n + BigInt(lp) * BigInt(1_000_000 - protocol)
        expect(BigInt(v4SwapFee(protocol, lp))).toBe((exact + 999_999n) / 1_000_000n)
      }),
    )
  })
})
