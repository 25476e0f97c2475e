import {
  fullRangeTicks,
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  quoteLiquidity,
} from '@svc/lp-math'
import { mintInPair } from './sim-pair.fixture.ts'
import { rawPriceOf, type SimPool, sqrtPriceOfRaw } from './sim-pool.fixture.ts'
import type { SimWorld } from './sim-world.fixture.ts'
import { mintInTickPool, type OwnedRange } from './tick-pool.fixture.ts'

export type Pair = { readonly amount0: bigint; readonly amount1: bigint }

/** Bounds of a range as multiples of a price; the whole range where `below` is 0. */
export type PriceMultiples = { readonly below: number; readonly above: number }

export type Ticks = { readonly tickLower: number; readonly tickUpper: number }

/** The ticks nearest to multiples of a price; `null` where none lie between. */
export function ticksAround(pool: SimPool, { below, above }: PriceMultiples): Ticks | null {
  if (pool.version === 'v2') return null
  const { tickSpacing } = pool.state
  const full = fullRangeTicks(tickSpacing)
  if (below === 0) return full
  const price = rawPriceOf(pool)
  const at = (multiple: number) => {
    const tick = getTickAtSqrtPrice(sqrtPriceOfRaw(Math.min(Math.max(price * multiple, 1e-30), 1e30)))
    const nearest = Math.round(tick / tickSpacing) * tickSpacing
    return Math.min(Math.max(nearest, full.tickLower), full.tickUpper)
  }
  const [tickLower, tickUpper] = [at(below), at(above)]
  return tickLower < tickUpper ? { tickLower, tickUpper } : { tickLower, tickUpper: tickLower + tickSpacing }
}

/** The liquidity that at most these amounts make in a range at the pool's price. */
export function liquidityFor(sqrtPriceX96: bigint, ticks: Ticks, { amount0, amount1 }: Pair): bigint {
  const bounds = [getSqrtPriceAtTick(ticks.tickLower), getSqrtPriceAtTick(ticks.tickUpper)] as const
  return getLiquidityForAmounts(sqrtPriceX96, ...bounds, amount0, amount1)
}

/** What the router of v2 takes of two amounts at the pair's reserves. */
export function pairAmounts(pool: Extract<SimPool, { version: 'v2' }>, most: Pair): Pair {
  const { reserve0, reserve1 } = pool.pair
  const amount1 = quoteLiquidity(most.amount0, reserve0, reserve1)
  if (amount1 <= most.amount1) return { amount0: most.amount0, amount1 }
  return { amount0: quoteLiquidity(most.amount1, reserve1, reserve0), amount1: most.amount1 }
}

/** Gives what was paid. */
export function depositInTicks(
  world: SimWorld,
  pool: Extract<SimPool, { version: 'v3' | 'v4' }>,
  range: OwnedRange,
  liquidity: bigint,
): Pair {
  world.changed.add(pool)
  return mintInTickPool(pool.state, range, liquidity, world.timestamp)
}

/** Gives what was paid. */
export function depositInPair(
  world: SimWorld,
  pool: Extract<SimPool, { version: 'v2' }>,
  owner: string,
  most: Pair,
): Pair {
  const amounts = pairAmounts(pool, most)
  if (amounts.amount0 === 0n || amounts.amount1 === 0n) return { amount0: 0n, amount1: 0n }
  world.changed.add(pool)
  mintInPair(pool.pair, owner, amounts.amount0, amounts.amount1, world.timestamp)
  return amounts
}
