import type { Pool, Quote, Token, Version } from '../../ports.ts'

/** The way of a swap through one pool, or through two of the same version. */
export type Route = { readonly version: Version; readonly hops: Quote['route'] }

/**
 * The routes worth asking the quoters about: every pool of the pair, and for each token in between the v2 pairs on both sides and
 * the two deepest v3 pools on either side. Hops name the pools' own tokens.
 *
 * @param entry the token that goes in as the pools of a version know it.
 */
export function routesOf(
  direct: readonly Pool[],
  between: readonly { readonly first: readonly Pool[]; readonly second: readonly Pool[] }[],
  entry: (version: Version) => Token,
): readonly Route[] {
  const single = direct.map((pool) => walk([pool], entry))
  const double = between.flatMap(({ first, second }) =>
    (['v2', 'v3'] as const).flatMap((version) =>
      deepest(first, version).flatMap((a) => deepest(second, version).map((b) => walk([a, b], entry))),
    ),
  )
  return [...single, ...double].filter((route) => route !== null)
}

function deepest(pools: readonly Pool[], version: Version): readonly Pool[] {
  return pools.filter((pool) => pool.version === version && pool.liquidity > 0n).slice(0, 2)
}

function walk(pools: readonly [Pool, ...Pool[]], entry: (version: Version) => Token): Route | null {
  const { version } = pools[0]
  let tokenIn = entry(version)
  const hops = []
  for (const pool of pools) {
    const entersAt0 = pool.token0.address === tokenIn.address
    if (!entersAt0 && pool.token1.address !== tokenIn.address) return null
    const tokenOut = entersAt0 ? pool.token1 : pool.token0
    hops.push({ pool, tokenIn, tokenOut })
    tokenIn = tokenOut
  }
  return { version, hops }
}
