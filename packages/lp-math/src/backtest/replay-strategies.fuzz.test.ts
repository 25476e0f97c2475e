import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bars } from '../bars/bars.ts'
import { computeSwapStep } from '../swaps/walk-swap.ts'
import { barsAlong, plainOptions } from './backtest.fixture.ts'
import type { BacktestOptions } from './backtest-options.ts'
import { replayStrategies } from './replay-strategies.ts'
import { swapIntoRatio } from './move-position.ts'

/** Off the whole ticks, which belong to one side only. */
const walk = fc
  .record({
    from: fc.integer({ min: -300_000, max: 300_000 }),
    steps: fc.array(fc.integer({ min: -3000, max: 3000 }), { minLength: 1, maxLength: 80 }),
  })
  .map(({ from, steps }) => {
    const ticks = [from + 0.37]
    for (const step of steps) ticks.push((ticks.at(-1) ?? 0) + step)
    return ticks
  })

const anyBars = fc
  .record({
    walk,
    barSeconds: fc.constantFrom(60, 3600, 86_400, 7 * 86_400),
    input: fc.constantFrom(0, 1e6, 1e20),
    liquidity: fc.constantFrom(0, 1e10, 1e18, 1e28),
  })
  .map(({ walk, ...rest }) => barsAlong(walk, rest))

const anyStrategy = fc.record({
  name: fc.constant('any'),
  rangePct: fc.oneof(fc.constant(null), fc.double({ min: 0.001, max: 199.9, noNaN: true })),
  rebalanceThresholdPct: fc.constantFrom(null, 0, 5, 50, 100),
})

const anyOptions = fc.record({
  startValueUsd: fc.constantFrom(1, 10_000, 1e9),
  feePips: fc.constantFrom(0, 100, 3000, 10_000),
  tickSpacing: fc.constantFrom(1, 10, 60, 200),
  decimals0: fc.constantFrom(0, 6, 18, 24),
  decimals1: fc.constantFrom(0, 6, 18, 24),
  baseToken: fc.constantFrom(0 as const, 1 as const),
  quoteUsd: fc.constantFrom(0.001, 1, 3000),
  gasUsd: fc.constantFrom(plainOptions.gasUsd, { open: 1, close: 2, rebalance: 3 }),
  withBarEquity: fc.constant(true),
})

/** The same pool with its tokens the other way round. */
function mirror(bars: Bars): Bars {
  const negated = (column: Float64Array) => column.map((tick) => 0 - tick)
  return {
    ...bars,
    openTick: negated(bars.openTick),
    closeTick: negated(bars.closeTick),
    lowTick: negated(bars.highTick),
    highTick: negated(bars.lowTick),
    amount0In: bars.amount1In,
    amount1In: bars.amount0In,
  }
}

const otherWay = (options: BacktestOptions): BacktestOptions => ({
  ...options,
  decimals0: options.decimals1,
  decimals1: options.decimals0,
  baseToken: options.baseToken === 0 ? 1 : 0,
})

describe('any backtest', () => {
  test('has gains and costs that sum to the whole, every number finite, and no cost below zero', () => {
    fc.assert(
      fc.property(anyBars, anyStrategy, anyOptions, (bars, strategy, options) => {
        const [result] = replayStrategies(bars, [strategy], options).strategies
        if (result === undefined) throw new Error('No result.')
        const { feesEarnedUsd, hodlMoveUsd, ilCostUsd, swapCostUsd, gasUsd, endValueUsd, lvrUsd } = result
        const parts = feesEarnedUsd + hodlMoveUsd - ilCostUsd - swapCostUsd - gasUsd
        const scale = options.startValueUsd + Math.abs(hodlMoveUsd) + ilCostUsd + feesEarnedUsd + swapCostUsd + gasUsd
        expect(Math.abs(endValueUsd - options.startValueUsd - parts) / scale).toBeLessThan(1e-12)
        for (const cost of [ilCostUsd, swapCostUsd, lvrUsd, gasUsd]) expect(cost / scale).toBeGreaterThan(-1e-9)
        for (const value of Object.values(result)) expect(Number.isNaN(value)).toBe(false)
        expect(result.barEquityUsd?.every(Number.isFinite)).toBe(true)
        expect(result.barEquityUsd?.at(-1)).toBe(endValueUsd)
        expect(result.equity.at(-1)?.valueUsd).toBe(endValueUsd)
      }),
      { numRuns: 300 },
    )
  })

  test('comes to the same dollars whichever token the pool calls its first', () => {
    fc.assert(
      fc.property(anyBars, anyStrategy, anyOptions, (bars, strategy, options) => {
        const [one] = replayStrategies(bars, [strategy], options).strategies
        const [other] = replayStrategies(mirror(bars), [strategy], otherWay(options)).strategies
        if (one === undefined || other === undefined) throw new Error('No result.')
        expect(other.rebalances.map(({ at }) => at)).toEqual(one.rebalances.map(({ at }) => at))
        for (const key of ['endValueUsd', 'feesEarnedUsd', 'ilCostUsd', 'lvrUsd', 'swapCostUsd'] as const) {
          expect(Math.abs(other[key] - one[key]) / (options.startValueUsd + one.feesEarnedUsd)).toBeLessThan(1e-9)
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('a swap into a ratio', () => {
  test('meets the ratio, with the amounts of the contracts', () => {
    const amount = fc.double({ min: 1e18, max: 1e24, noNaN: true })
    fc.assert(
      fc.property(amount, amount, amount, amount, fc.double({ min: 0.1, max: 10, noNaN: true }), (...drawn) => {
        const [amount0, amount1, ratio0, ratio1, sqrtPrice] = drawn
        const pool = { sqrtPrice, liquidity: 1e24, fee: 0.003 }
        const swap = swapIntoRatio({ amount0, amount1 }, { amount0: ratio0, amount1: ratio1 }, pool)
        const after0 = amount0 - swap.sold0 + swap.bought0
        const after1 = amount1 - swap.sold1 + swap.bought1
        expect((after0 * ratio1) / (after1 * ratio0)).toBeCloseTo(1, 7)
        const zeroForOne = swap.sold0 > 0
        const sqrtPriceX96 = BigInt(Math.round(sqrtPrice * 2 ** 48)) << 48n
        const exact = computeSwapStep({
          sqrtPriceX96,
          sqrtPriceTargetX96: zeroForOne ? sqrtPriceX96 >> 40n : sqrtPriceX96 << 40n,
          liquidity: 10n ** 24n,
          amountRemaining: BigInt(Math.round(zeroForOne ? swap.sold0 : swap.sold1)),
          exactIn: true,
          feePips: 3000,
        })
        const bought = zeroForOne ? swap.bought1 : swap.bought0
        expect(Math.abs(Number(exact.amountOut) - bought)).toBeLessThan(1e-8 * bought + 1e4)
      }),
    )
  })
})
