import type { TickLiquidity } from '../swaps/walk-swap.ts'
import { liquidityProfile } from '../fee-model/fee-model.ts'
import type { RangeMarket } from './create-range-analyser.ts'

/**
 * A pool like a busy one: 18 decimals against 6, `positions` overlapping positions around the price of
 * 3,000, 40,000 of fees a day, 30 days at 70 % volatility. 100 positions have 190 initialised ticks, 1,000 have 1,300, 3,000 have 2,100.
 */
export function busyMarket(positions: number): RangeMarket {
  const tick = -196_256
  const price = 1.0001 ** tick * 1e12
  const spacing = 10
  const nets = new Map<number, bigint>()
  let active = 0n
  for (let index = 0; index < positions; index += 1) {
    const centre = tick + Math.round(6000 * Math.sin(index * 1.7))
    const half = 20 + ((index * 7919) % 6000)
    const lower = Math.floor((centre - half) / spacing) * spacing
    const upper = Math.ceil((centre + half) / spacing) * spacing
    const liquidity = BigInt(1e15) * BigInt(1 + ((index * 31) % 97))
    nets.set(lower, (nets.get(lower) ?? 0n) + liquidity)
    nets.set(upper, (nets.get(upper) ?? 0n) - liquidity)
    if (lower <= tick && tick < upper) active += liquidity
  }
  const ticks: TickLiquidity[] = [...nets].map(([at, liquidityNet]) => ({ tick: at, liquidityNet }))
  ticks.sort((a, b) => a.tick - b.tick)
  return {
    model: { price, sigma: 0.7, drift: 0, years: 30 / 365 },
    profile: liquidityProfile({ ticks, tick, liquidity: active, decimals0: 18, decimals1: 6, inverted: false }),
    feesPerDay: 40_000,
    feePips: 500,
    blockSeconds: 12,
    value: 10_000,
    gasCost: 0,
    tickSpacing: spacing,
    decimals0: 18,
    decimals1: 6,
  }
}
