import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getAmountsForLiquidity, getLiquidityForAmounts } from '../liquidity/liquidity.ts'
import { anyPool } from '../pool.fixture.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { outcome, upToBits } from '../v3-sdk.fixture.ts'
import { solveSwapToRatio, swapThroughTicks, type SwapToRatioOptions } from './solve-swap-to-ratio.ts'

const anyTask = fc
  .record({
    pool: anyPool({ fullRange: true, maxTick: 100_000 }),
    amount0: upToBits(80),
    amount1: upToBits(80),
    offset: fc.integer({ min: -20, max: 20 }),
    width: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ pool: { state }, amount0, amount1, offset, width }) => {
    const centre = Math.round(state.tick / state.tickSpacing) + offset
    const sqrtLowerX96 = getSqrtPriceAtTick((centre - width) * state.tickSpacing)
    const sqrtUpperX96 = getSqrtPriceAtTick((centre + width) * state.tickSpacing)
    return Object.assign(state, { amount0, amount1, sqrtLowerX96, sqrtUpperX96 })
  })

/** The liquidity that a swap of any amount in any direction would leave room for. */
function liquidityAfter(task: SwapToRatioOptions, zeroForOne: boolean, amountSpecified: bigint): bigint {
  const swap = swapThroughTicks({ ...task, amountSpecified, zeroForOne })
  const amount0 = zeroForOne ? task.amount0 - swap.amountIn : task.amount0 + swap.amountOut
  const amount1 = zeroForOne ? task.amount1 + swap.amountOut : task.amount1 - swap.amountIn
  const { sqrtLowerX96, sqrtUpperX96 } = task
  const bought = outcome(() =>
    getLiquidityForAmounts(swap.sqrtPriceX96After, sqrtLowerX96, sqrtUpperX96, amount0, amount1),
  )
  return bought === 'throws' ? 0n : bought
}

describe('swap to ratio', () => {
  test('what it says of the swap is what the swap does', () => {
    fc.assert(
      fc.property(anyTask, (task) => {
        const solved = solveSwapToRatio(task)
        const swap = swapThroughTicks({ ...task, amountSpecified: solved.amountIn, zeroForOne: solved.zeroForOne })
        expect(swap.amountIn).toBe(solved.amountIn)
        expect(swap.amountOut).toBe(solved.amountOut)
        expect(swap.sqrtPriceX96After).toBe(solved.sqrtPriceX96After)
        expect(solved.amount0).toBe(task.amount0 + (solved.zeroForOne ? -swap.amountIn : swap.amountOut))
        expect(solved.amount1).toBe(task.amount1 + (solved.zeroForOne ? swap.amountOut : -swap.amountIn))
        expect(solved.amount0 >= 0n && solved.amount1 >= 0n).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  test('no other swap, in either direction, buys more liquidity', () => {
    fc.assert(
      fc.property(anyTask, fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 6 }), (task, tries) => {
        const solved = solveSwapToRatio(task)
        const others = [true, false].flatMap((zeroForOne) => {
          const available = zeroForOne ? task.amount0 : task.amount1
          const near = zeroForOne === solved.zeroForOne ? [solved.amountIn - 1n, solved.amountIn + 1n] : []
          const amounts = [...tries.map((permille) => (available * BigInt(permille)) / 1000n), ...near]
          return amounts
            .filter((amount) => amount >= 0n && amount <= available)
            .map((amount) => liquidityAfter(task, zeroForOne, amount))
        })
        for (const other of others) expect(other).toBeLessThanOrEqual(solved.liquidity)
      }),
      { numRuns: 300 },
    )
  })

  test('all of the value goes in: what is left over is a few units', () => {
    const state = {
      sqrtPriceX96: 2n ** 96n,
      tick: 0,
      liquidity: 10n ** 21n,
      feePips: 3000,
      tickSpacing: 60,
      ticks: [
        { tick: -887220, liquidityNet: 10n ** 21n },
        { tick: 887220, liquidityNet: -(10n ** 21n) },
      ],
    }
    const range = { sqrtLowerX96: getSqrtPriceAtTick(-600), sqrtUpperX96: getSqrtPriceAtTick(600) }
    for (const [amount0, amount1] of [
      [10n ** 18n, 0n],
      [0n, 10n ** 18n],
    ] as const) {
      const solved = solveSwapToRatio({ ...state, ...range, amount0, amount1 })
      expect(solved.zeroForOne).toBe(amount0 > 0n)
      // About half goes over at an even price: a little more for the fee, a little less for the impact.
      expect(solved.amountIn).toBeGreaterThan(49n * 10n ** 16n)
      expect(solved.amountIn).toBeLessThan(51n * 10n ** 16n)
      const { sqrtPriceX96After, liquidity } = solved
      const { sqrtLowerX96, sqrtUpperX96 } = range
      const used = getAmountsForLiquidity(sqrtPriceX96After, sqrtLowerX96, sqrtUpperX96, liquidity, true)
      expect(solved.amount0 - used.amount0).toBeLessThan(100n)
      expect(solved.amount1 - used.amount1).toBeLessThan(100n)
    }
  })

  test('out of range everything is turned into the one token the range takes', () => {
    const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 24n, feePips: 500, ticks: [] }
    const above = { sqrtLowerX96: getSqrtPriceAtTick(6000), sqrtUpperX96: getSqrtPriceAtTick(12000) }
    const needs0 = solveSwapToRatio({ ...pool, ...above, amount0: 10n ** 18n, amount1: 10n ** 18n })
    expect(needs0).toMatchObject({ zeroForOne: false, amountIn: 10n ** 18n, amount1: 0n })
    const below = { sqrtLowerX96: getSqrtPriceAtTick(-12000), sqrtUpperX96: getSqrtPriceAtTick(-6000) }
    const needs1 = solveSwapToRatio({ ...pool, ...below, amount0: 10n ** 18n, amount1: 10n ** 18n })
    expect(needs1).toMatchObject({ zeroForOne: true, amountIn: 10n ** 18n, amount0: 0n })
    const already = solveSwapToRatio({ ...pool, ...below, amount0: 0n, amount1: 10n ** 18n })
    expect(already.amountIn).toBe(0n)
  })

  test('solves where a mint without the swap would not fit 128 bits', () => {
    const sqrtLowerX96 = getSqrtPriceAtTick(-600)
    const pool = { sqrtPriceX96: sqrtLowerX96 + 1n, tick: -600, liquidity: 10n ** 24n, feePips: 500, ticks: [] }
    const range = { sqrtLowerX96, sqrtUpperX96: getSqrtPriceAtTick(600) }
    const solved = solveSwapToRatio({ ...pool, ...range, amount0: 10n ** 18n, amount1: 10n ** 18n })
    expect(solved.zeroForOne).toBe(false)
    expect(solved.liquidity).toBeGreaterThan(0n)
  })

  test('swaps nothing where no swap buys more', () => {
    const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 24n, feePips: 500, ticks: [] }
    const range = { sqrtLowerX96: getSqrtPriceAtTick(-600), sqrtUpperX96: getSqrtPriceAtTick(600) }
    expect(solveSwapToRatio({ ...pool, ...range, amount0: 2n, amount1: 0n }).amountIn).toBe(0n)
    expect(solveSwapToRatio({ ...pool, ...range, amount0: 0n, amount1: 0n }).amountIn).toBe(0n)
  })

  test('refuses an empty range and negative amounts', () => {
    const pool = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 24n, feePips: 500, ticks: [] }
    const range = { sqrtLowerX96: 2n ** 95n, sqrtUpperX96: 2n ** 97n }
    const empty = { sqrtLowerX96: 2n ** 95n, sqrtUpperX96: 2n ** 95n }
    expect(() => solveSwapToRatio({ ...pool, ...empty, amount0: 1n, amount1: 1n })).toThrow(
      expect.objectContaining({ code: 'RANGE_EMPTY' }),
    )
    expect(() => solveSwapToRatio({ ...pool, ...range, amount0: -1n, amount1: 1n })).toThrow(
      expect.objectContaining({ code: 'AMOUNT_NEGATIVE' }),
    )
  })
})
