import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyPool, bookkeepingPool, type PoolState } from '../pool.fixture.ts'
import { getSqrtPriceAtTick } from '../ticks/sqrt-price-of-tick.ts'
import { upToBits } from '../v3-sdk.fixture.ts'
import { feeGrowthFromSwaps } from './fee-growth-from-swaps-in-steps.ts'

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
