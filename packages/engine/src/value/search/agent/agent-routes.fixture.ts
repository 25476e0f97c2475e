import { quoteIn } from '../world/pool-trades.fixture.ts'
import { usdc, weth } from '../world/scenario.fixture.ts'
import type { SimPool } from '../world/sim-pool.fixture.ts'
import type { SimToken } from '../world/sim-token.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'

export type Hop = { readonly pool: string; readonly zeroForOne: boolean }

/** The route that gives most of all that the server would look at: each pool of the pair, and two of one version through USDC or WETH. */
export function bestRoute(
  world: SimWorld,
  trade: {
    readonly tokenIn: SimToken
    readonly tokenOut: SimToken
    readonly amountIn: bigint
    /** The only pool to go through; `null` for the best route. */
    readonly pool: string | null
  },
): readonly Hop[] | null {
  const { tokenIn, tokenOut, amountIn, pool } = trade
  const direct = hopsBetween(world, tokenIn, tokenOut).map((hop) => [hop])
  const routes =
    pool === null
      ? [...direct, ...throughMiddle(world, tokenIn, tokenOut)]
      : direct.filter(([hop]) => hop?.pool === pool)
  let best: { readonly route: readonly Hop[]; readonly out: bigint } | null = null
  for (const route of routes) {
    const out = quoteRoute(world, route, amountIn)
    if (out > (best?.out ?? 0n)) best = { route, out }
  }
  return best?.route ?? null
}

/** What an input gives along a route now; 0 where a pool takes less than all of it, as a router then gives up. */
export function quoteRoute(world: SimWorld, route: readonly Hop[], amountIn: bigint): bigint {
  let amount = amountIn
  for (const { pool: name, zeroForOne } of route) {
    const pool = world.pools.get(name)
    if (pool === undefined || amount <= 0n || isEmpty(pool)) return 0n
    const quote = quoteIn(pool, zeroForOne, amount)
    if (quote.amountIn < amount) return 0n
    amount = quote.amountOut
  }
  return amount
}

function throughMiddle(world: SimWorld, tokenIn: SimToken, tokenOut: SimToken): readonly (readonly Hop[])[] {
  const middles = [usdc, weth].filter((token) => token !== tokenIn && token !== tokenOut)
  return middles.flatMap((middle) =>
    hopsBetween(world, tokenIn, middle).flatMap((first) =>
      hopsBetween(world, middle, tokenOut).flatMap((second) =>
        versionOf(world, first) === versionOf(world, second) && versionOf(world, first) !== 'v4'
          ? [[first, second]]
          : [],
      ),
    ),
  )
}

function hopsBetween(world: SimWorld, tokenIn: SimToken, tokenOut: SimToken): readonly Hop[] {
  const hops: Hop[] = []
  for (const { name, token0, token1 } of world.pools.values()) {
    if (token0 === tokenIn && token1 === tokenOut) hops.push({ pool: name, zeroForOne: true })
    if (token1 === tokenIn && token0 === tokenOut) hops.push({ pool: name, zeroForOne: false })
  }
  return hops
}

function versionOf(world: SimWorld, { pool }: Hop): SimPool['version'] | undefined {
  return world.pools.get(pool)?.version
}

function isEmpty(pool: SimPool): boolean {
  return pool.version !== 'v2' && pool.state.ticks.length === 0
}
