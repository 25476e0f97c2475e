import * as fc from 'fast-check'
import { type FeeGrowthInside, getFeeGrowthInside, type SwapLog } from './fees/fees.ts'
import { carryOutSwap, planSwap, swapFields } from './pool-replay/plan-swap.ts'
import { createPoolState, findTick, type PoolState as ReplayedPool } from './pool-replay/pool-state.ts'
import type { TickLiquidity } from './swaps/walk-swap.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice } from './ticks/ticks.ts'

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
export function bookkeepingPool(initial: PoolState, [part0, part1]: readonly [number, number] = [0, 0]) {
  const { feePips, tickSpacing, ticks, ...market } = initial
  const state: ReplayedPool = {
    ...createPoolState({ feePips, tickSpacing }),
    ...market,
    feeProtocol: part0 + (part1 << 4),
    observationCardinality: 1,
    ticks: ticks.map((tick) => Object.assign({}, emptyTick, tick)),
  }
  const feesPaid: [bigint, bigint] = [0n, 0n]
  const noTime = 0

  function swap(zeroForOne: boolean, amountSpecified: bigint): SwapLog & { tickAfter: number } {
    const plan = planSwap(state, { zeroForOne, exactIn: true, amountSpecified, timestamp: noTime })
    carryOutSwap(state, plan)
    feesPaid[zeroForOne ? 0 : 1] += plan.result.feeAmount
    const { sqrtPriceX96: sqrtPriceX96After, tick: tickAfter, ...log } = swapFields(plan)
    return { ...log, sqrtPriceX96After, tickAfter }
  }

  function growthInside(tickLower: number, tickUpper: number): FeeGrowthInside {
    const [lower, upper] = [findTick(state, tickLower)!, findTick(state, tickUpper)!]
    return getFeeGrowthInside({ ...state, tickCurrent: state.tick, tickLower, tickUpper, lower, upper })
  }

  return { swap, growthInside, feesPaid: () => feesPaid }
}

/** Initialised, with nothing outside it yet. */
const emptyTick = {
  liquidityGross: 1n,
  feeGrowthOutside0X128: 0n,
  feeGrowthOutside1X128: 0n,
  tickCumulativeOutside: 0n,
  secondsPerLiquidityOutsideX128: 0n,
  secondsOutside: 0,
}
