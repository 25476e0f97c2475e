import * as fc from 'fast-check'
import { type FeeGrowthInside, getFeeGrowthInside } from './fees/get-fee-growth-inside.ts'
import type { SwapLog } from './fees/fee-growth-from-swaps.ts'
import { computeSwapStep } from './swaps/compute-swap-step.ts'
import { createTickCursor, type TickLiquidity } from './swaps/create-tick-cursor.ts'
import { getSqrtPriceAtTick } from './ticks/get-sqrt-price-at-tick.ts'
import { getTickAtSqrtPrice } from './ticks/get-tick-at-sqrt-price.ts'
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from './ticks/tick-bounds.ts'

export type PoolPosition = { tickLower: number; tickUpper: number; liquidity: bigint }
export type PoolState = {
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feePips: number
  tickSpacing: number
  ticks: TickLiquidity[]
}

/** The state of a pool at a price with these positions in it. */
export function poolState(
  sqrtPriceX96: bigint,
  positions: readonly PoolPosition[],
  feePips: number,
  tickSpacing: number,
): PoolState {
  const tick = getTickAtSqrtPrice(sqrtPriceX96)
  const net = new Map<number, bigint>()
  for (const { tickLower, tickUpper, liquidity } of positions) {
    net.set(tickLower, (net.get(tickLower) ?? 0n) + liquidity)
    net.set(tickUpper, (net.get(tickUpper) ?? 0n) - liquidity)
  }
  const active = positions.filter(({ tickLower, tickUpper }) => tickLower <= tick && tick < tickUpper)
  return {
    sqrtPriceX96,
    tick,
    liquidity: active.reduce((sum, { liquidity }) => sum + liquidity, 0n),
    feePips,
    tickSpacing,
    ticks: [...net].map(([at, liquidityNet]) => ({ tick: at, liquidityNet })).sort((a, b) => a.tick - b.tick),
  }
}

export const feeTiers = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10000, 200],
] as const

/** Pools of every tier with a few positions around the price, whose ticks lie on the spacing. */
export function anyPool(options: { fullRange: boolean; maxTick?: number }): fc.Arbitrary<{
  state: PoolState
  positions: PoolPosition[]
}> {
  const maxTick = options.maxTick ?? 400_000
  return fc.constantFrom(...feeTiers).chain(([feePips, tickSpacing]) => {
    const position = fc.record({
      offset: fc.integer({ min: -60, max: 60 }),
      width: fc.integer({ min: 1, max: 80 }),
      digits: fc.integer({ min: 8, max: 24 }),
      leading: fc.integer({ min: 1, max: 99 }),
    })
    return fc
      .record({
        tick: fc.integer({ min: -maxTick, max: maxTick }),
        between: fc.integer({ min: 0, max: 999 }),
        positions: fc.array(position, { minLength: 1, maxLength: 6 }),
      })
      .map(({ tick, between, positions }) => {
        const low = getSqrtPriceAtTick(tick)
        const sqrtPriceX96 = low + ((getSqrtPriceAtTick(tick + 1) - low) * BigInt(between)) / 1000n
        const centre = Math.round(tick / tickSpacing)
        const placed = positions.map(({ offset, width, digits, leading }) => ({
          tickLower: (centre + offset - width) * tickSpacing,
          tickUpper: (centre + offset + width) * tickSpacing,
          liquidity: BigInt(leading) * 10n ** BigInt(digits),
        }))
        const edge = Math.floor(887272 / tickSpacing) * tickSpacing
        const everywhere = { tickLower: -edge, tickUpper: edge, liquidity: 10n ** 15n }
        const all = options.fullRange ? [everywhere, ...placed] : placed
        return { state: poolState(sqrtPriceX96, all, feePips, tickSpacing), positions: all }
      })
  })
}

/** A pool that keeps the fee books as the v3 contract does (global growth, growth outside each tick) and writes Swap logs. */
export function bookkeepingPool(initial: PoolState, protocolDenominators: readonly [number, number] = [0, 0]) {
  let { sqrtPriceX96, tick, liquidity } = initial
  const { feePips, tickSpacing, ticks } = initial
  const growth = [0n, 0n] as [bigint, bigint]
  let feesPaid = [0n, 0n] as [bigint, bigint]
  const outside = new Map(ticks.map(({ tick: at }) => [at, [0n, 0n] as [bigint, bigint]]))
  const limits = { down: MIN_SQRT_PRICE + 1n, up: MAX_SQRT_PRICE - 1n }

  function swap(zeroForOne: boolean, amountSpecified: bigint): SwapLog & { tickAfter: number } {
    const input = zeroForOne ? 0 : 1
    const limit = zeroForOne ? limits.down : limits.up
    const cursor = createTickCursor({ ticks, tick, zeroForOne, tickSpacing })
    let [amountRemaining, amountOut] = [amountSpecified, 0n]
    while (amountRemaining > 0n && sqrtPriceX96 !== limit) {
      const next = cursor.next(tick)
      const atNext = getSqrtPriceAtTick(next.tick)
      const sqrtPriceTargetX96 = zeroForOne ? (atNext < limit ? limit : atNext) : atNext > limit ? limit : atNext
      const step = computeSwapStep({
        sqrtPriceX96,
        sqrtPriceTargetX96,
        liquidity,
        amountRemaining,
        exactIn: true,
        feePips,
      })
      amountRemaining -= step.amountIn + step.feeAmount
      amountOut += step.amountOut
      feesPaid[input] += step.feeAmount
      const denominator = BigInt(protocolDenominators[input] ?? 0)
      const toProviders = step.feeAmount - (denominator === 0n ? 0n : step.feeAmount / denominator)
      if (liquidity > 0n) growth[input] = BigInt.asUintN(256, growth[input] + (toProviders << 128n) / liquidity)
      if (step.sqrtPriceNextX96 === atNext) {
        if (next.liquidityNet !== null) {
          const was = outside.get(next.tick)!
          outside.set(next.tick, [growth[0] - was[0], growth[1] - was[1]])
          liquidity += zeroForOne ? -next.liquidityNet : next.liquidityNet
          cursor.cross()
        }
        tick = zeroForOne ? next.tick - 1 : next.tick
      } else if (step.sqrtPriceNextX96 !== sqrtPriceX96) tick = getTickAtSqrtPrice(step.sqrtPriceNextX96)
      sqrtPriceX96 = step.sqrtPriceNextX96
    }
    const [paid, got] = [amountSpecified - amountRemaining, -amountOut]
    const [amount0, amount1] = zeroForOne ? [paid, got] : [got, paid]
    return { amount0, amount1, sqrtPriceX96After: sqrtPriceX96, tickAfter: tick, liquidity }
  }

  function growthInside(tickLower: number, tickUpper: number): FeeGrowthInside {
    const record = (at: number) => {
      const [feeGrowthOutside0X128, feeGrowthOutside1X128] = outside.get(at)!
      return { feeGrowthOutside0X128, feeGrowthOutside1X128 }
    }
    return getFeeGrowthInside({
      tickCurrent: tick,
      tickLower,
      tickUpper,
      feeGrowthGlobal0X128: growth[0],
      feeGrowthGlobal1X128: growth[1],
      lower: record(tickLower),
      upper: record(tickUpper),
    })
  }

  return { swap, growthInside, feesPaid: () => feesPaid, state: () => ({ sqrtPriceX96, tick, liquidity }) }
}
