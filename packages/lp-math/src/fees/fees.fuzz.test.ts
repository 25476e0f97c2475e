import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyPool, bookkeepingPool, type PoolState } from '../pool.fixture.ts'
import { anyLiquidity, anyTick, fromJsbi, sdk, toJsbi, upToBits } from '../v3-sdk.fixture.ts'
import { feesOwed, getFeeGrowthInside, v4SwapFee, unpackProtocolFee, feeGrowthFromSwaps } from './fees.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'

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

const anySwaps = fc.array(fc.record({ zeroForOne: fc.boolean(), amount: upToBits(80) }), {
  minLength: 1,
  maxLength: 30,
})

/** Replays swaps on the exact books and through the logs alone, over the range of one of the pool's own positions. */
function replay(
  state: PoolState,
  range: { tickLower: number; tickUpper: number },
  swaps: readonly { zeroForOne: boolean; amount: bigint }[],
  denominators: [number, number] = [0, 0],
) {
  const pool = bookkeepingPool(state, denominators)
  const at = pool.growthInside(range.tickLower, range.tickUpper)
  const logs = swaps.filter(({ amount }) => amount > 0n).map(({ zeroForOne, amount }) => pool.swap(zeroForOne, amount))
  const now = pool.growthInside(range.tickLower, range.tickUpper)
  const estimate = feeGrowthFromSwaps({
    swaps: logs,
    start: state,
    feePips: state.feePips,
    protocolFee: { version: 'v3', denominator0: denominators[0], denominator1: denominators[1] },
    ...range,
  })
  const passed = logs.map(({ tickAfter }, index) => Math.abs(tickAfter - (logs[index - 1]?.tickAfter ?? state.tick)))
  const words = passed.map((distance) => Math.ceil(distance / (256 * state.tickSpacing)) + 2 + state.ticks.length)
  // One unit of the sqrt price, as input per unit of liquidity (Q128.128): of token0 d(1/sqrtP), of token1 d(sqrtP).
  const priceUnits = [0n, 0n] as [bigint, bigint]
  for (const { sqrtPriceX96After, amount0 } of logs) {
    if (amount0 > 0n) priceUnits[0] += 2n ** 224n / sqrtPriceX96After ** 2n + 1n
    else priceUnits[1] += 2n ** 32n
  }
  return {
    logs,
    priceUnits,
    steps: words.reduce((sum, count) => sum + count, 0),
    exact: [
      BigInt.asUintN(256, now.feeGrowthInside0X128 - at.feeGrowthInside0X128),
      BigInt.asUintN(256, now.feeGrowthInside1X128 - at.feeGrowthInside1X128),
    ] as const,
    estimate: [estimate.growth0X128, estimate.growth1X128] as const,
  }
}

describe('fee growth from swap logs', () => {
  test('differs from the exact books by unit roundings only, over whatever ticks the swaps cross', () => {
    const anyDenominator = fc.constantFrom(0, 4, 5, 10)
    fc.assert(
      fc.property(
        anyPool({ fullRange: true, maxTick: 50_000 }),
        anySwaps,
        fc.tuple(anyDenominator, anyDenominator),
        ({ state, positions }, swaps, denominators) => {
          // The full-range position is in every pool, so nowhere is the liquidity below its own.
          const leastLiquidity = positions[0]!.liquidity
          for (const range of positions) {
            const { exact, estimate, steps, priceUnits } = replay(state, range, swaps, denominators)
            for (const token of [0, 1] as const) {
              const difference = exact[token] - estimate[token]
              // Each step may round the input, the fee and the protocol's part by a unit, each last step the price.
              const units = (BigInt(steps * 3) << 128n) / leastLiquidity + priceUnits[token]
              expect(difference < 0n ? -difference : difference).toBeLessThanOrEqual(units)
            }
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  test('a week of ordinary trading is within a millionth of the exact books', () => {
    const ticks = [
      { tick: -887220, liquidityNet: 10n ** 20n },
      { tick: -1200, liquidityNet: 5n * 10n ** 21n },
      { tick: -60, liquidityNet: 10n ** 22n },
      { tick: 60, liquidityNet: -(10n ** 22n) },
      { tick: 1200, liquidityNet: -5n * 10n ** 21n },
      { tick: 887220, liquidityNet: -(10n ** 20n) },
    ]
    const liquidity = 10n ** 20n + 5n * 10n ** 21n + 10n ** 22n
    const state = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity, feePips: 3000, tickSpacing: 60, ticks }
    // A fixed run of 168 swaps whose sizes and directions wander over both inner ranges and out of them.
    const swaps = Array.from({ length: 168 }, (_, hour) => ({
      zeroForOne: Math.sin(hour * 1.7) > Math.cos(hour / 9),
      amount: BigInt(Math.round((1 + Math.cos(hour * 0.77)) * 1e6)) * 10n ** 13n + 12345678901n,
    }))
    for (const [tickLower, tickUpper] of [
      [-60, 60],
      [-1200, 1200],
      [-887220, 887220],
    ] as const) {
      const { exact, estimate, logs } = replay(state, { tickLower, tickUpper }, swaps, [4, 6])
      const lowest = Math.min(...logs.map(({ tickAfter }) => tickAfter))
      const highest = Math.max(...logs.map(({ tickAfter }) => tickAfter))
      expect(lowest < -60 && highest > 60).toBe(true)
      for (const token of [0, 1] as const) {
        expect(exact[token]).toBeGreaterThan(0n)
        expect(Math.abs(Number(estimate[token]) / Number(exact[token]) - 1)).toBeLessThan(1e-6)
      }
    }
  })

  test('reads v4 logs once their signs are turned: own fee per swap, protocol fee in millionths', () => {
    const sqrtPriceX96After = getSqrtPriceAtTick(100)
    const log = { amount0: -1n, amount1: 1n, sqrtPriceX96After, liquidity: 10n ** 18n }
    const run = (feePips: number, pips1: number) =>
      feeGrowthFromSwaps({
        swaps: [{ ...log, feePips }],
        start: { sqrtPriceX96: 2n ** 96n },
        feePips: 500,
        protocolFee: { version: 'v4', pips0: 0, pips1 },
        tickLower: -10,
        tickUpper: 10,
      }).growth1X128
    const inputPerLiquidity = (getSqrtPriceAtTick(10) - 2n ** 96n) << 32n
    expect(run(3000, 0)).toBe((inputPerLiquidity * 3000n) / 997_000n)
    expect(run(3000, 1000)).toBe((inputPerLiquidity * 2000n) / 997_000n)
    expect(run(1000, 1000)).toBe(0n)
  })

  test('a swap too small to move the price counts by its amount, inside the range only', () => {
    const still = { amount0: 1000n, amount1: 0n, sqrtPriceX96After: 2n ** 96n, liquidity: 10n ** 30n }
    const run = (tickLower: number, tickUpper: number) =>
      feeGrowthFromSwaps({ swaps: [still], start: { sqrtPriceX96: 2n ** 96n }, feePips: 10_000, tickLower, tickUpper })
    expect(run(-10, 10)).toEqual({ growth0X128: (10n * 2n ** 128n) / 10n ** 30n, growth1X128: 0n })
    expect(run(10, 20)).toEqual({ growth0X128: 0n, growth1X128: 0n })
    expect(run(-20, 0)).toEqual({ growth0X128: 0n, growth1X128: 0n })
  })

  test('refuses logs seen from the trader or with a gap, and an empty range', () => {
    const down = { amount0: -5n, amount1: 4n, sqrtPriceX96After: 2n ** 95n, liquidity: 1n }
    const base = { start: { sqrtPriceX96: 2n ** 96n }, feePips: 500 }
    expect(() => feeGrowthFromSwaps({ ...base, swaps: [down], tickLower: -10, tickUpper: 10 })).toThrow(
      expect.objectContaining({ code: 'SWAP_LOGS_INCONSISTENT' }),
    )
    expect(() => feeGrowthFromSwaps({ ...base, swaps: [], tickLower: 10, tickUpper: 10 })).toThrow(
      expect.objectContaining({ code: 'RANGE_EMPTY' }),
    )
    const bad = { ...down, amount0: 5n, amount1: -4n, feePips: 1_000_000 }
    expect(() => feeGrowthFromSwaps({ ...base, swaps: [bad], tickLower: -10, tickUpper: 10 })).toThrow(
      expect.objectContaining({ code: 'FEE_OUT_OF_RANGE' }),
    )
  })
})
