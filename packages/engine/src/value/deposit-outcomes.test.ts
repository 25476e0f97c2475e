import { getAmountsForLiquidity, getSqrtPriceAtTick, mintAmountsWithSlippage } from '@svc/lp-math'
import { describe, expect, it } from 'vitest'
import { pairOutcomes, rangeOutcomeAt, rangeOutcomes } from './simulated-deposit.ts'

const ticks = { tickLower: -1_000, tickUpper: 1_000 }
const [lower, upper] = [getSqrtPriceAtTick(-1_000), getSqrtPriceAtTick(1_000)]
const price = getSqrtPriceAtTick(0)
const liquidity = 10n ** 18n
const planned = getAmountsForLiquidity(price, lower, upper, liquidity, true)
const none = { amount0: 0n, amount1: 0n }

describe('what a deposit may come to at worst', () => {
  it('v3: ends where a minimum is just met', () => {
    const bounds = { sqrtPriceX96: price, sqrtPriceAX96: lower, sqrtPriceBX96: upper, liquidity, slippageBps: 50 }
    const least = mintAmountsWithSlippage(bounds)
    const [, low, high] = rangeOutcomes({ ticks, liquidity: null, most: planned, least }, price)
    // Half a percent below the price it takes less of token1, above it less of token0.
    for (const end of [low!, high!]) {
      expect(end.amount0).toBeGreaterThanOrEqual(least.amount0)
      expect(end.amount1).toBeGreaterThanOrEqual(least.amount1)
    }
    expect(Number(low!.amount1 - least.amount1) / Number(least.amount1)).toBeLessThan(1e-4)
    expect(Number(high!.amount0 - least.amount0) / Number(least.amount0)).toBeLessThan(1e-4)
  })

  it('v3: finds both ends of a full range, whose own ends are far beyond them', () => {
    const full = { tickLower: -887_220, tickUpper: 887_220 }
    const most = { amount0: 10n ** 18n, amount1: 10n ** 18n }
    const least = { amount0: 5n * 10n ** 17n, amount1: 5n * 10n ** 17n }
    const [, low, high] = rangeOutcomes({ ticks: full, liquidity: null, most, least }, price)
    expect(Number(low!.amount1) / Number(least.amount1)).toBeCloseTo(1, 4)
    expect(Number(high!.amount0) / Number(least.amount0)).toBeCloseTo(1, 4)
  })

  it('v3: without minimums it ends where the range does, all of it in one token', () => {
    const [, low, high] = rangeOutcomes({ ticks, liquidity: null, most: planned, least: none }, price)
    expect(low).toMatchObject({ amount1: 0n })
    expect(high).toMatchObject({ amount0: 0n })
    expect(low!.amount0).toBeGreaterThan((planned.amount0 * 99n) / 100n)
  })

  it('v4: ends where it would take more than it may', () => {
    const most = { amount0: (planned.amount0 * 102n) / 100n, amount1: (planned.amount1 * 102n) / 100n }
    const [, low, high] = rangeOutcomes({ ticks, liquidity, most, least: none }, price)
    expect(Number(low!.amount0) / Number(most.amount0)).toBeCloseTo(1, 5)
    expect(Number(high!.amount1) / Number(most.amount1)).toBeCloseTo(1, 5)
    expect([low!.liquidity, high!.liquidity]).toEqual([liquidity, liquidity])
  })

  it('of a range beside the price is one-sided, wherever the price goes', () => {
    const above = { tickLower: 100, tickUpper: 200 }
    const amounts = { amount0: 10n ** 15n, amount1: 0n }
    const [, low, high] = rangeOutcomes({ ticks: above, liquidity: null, most: amounts, least: none }, price)
    expect(low).toMatchObject({ amount1: 0n })
    expect(high!.amount1).toBe(0n)
  })

  it('is nothing where its amounts make more liquidity than a position can have', () => {
    const most = { amount0: 2n ** 128n - 1n, amount1: 2n ** 128n - 1n }
    expect(rangeOutcomeAt({ ticks, liquidity: null, most }, lower + 1n)).toEqual({ ...none, liquidity: 0n })
  })

  it('v2: one side in full, the other at its minimum', () => {
    const most = { amount0: 100n, amount1: 400n }
    const least = { amount0: 99n, amount1: 396n }
    expect(pairOutcomes({ most, least })).toEqual([
      { amount0: 100n, amount1: 396n, liquidity: 198n },
      { amount0: 99n, amount1: 400n, liquidity: 198n },
    ])
  })
})
