import type { Hop, Pool, RouteVersion, Token, Version } from '../../ports.ts'
import { better, intoOf, outOf } from './reckon-route.ts'
import { type Exact, type Route, segmentsOf } from './route-query.ts'

/**
 * Routes of three hops, and of two or three of several versions where they may be mixed: the dozen that give most, or take least, were the
 * liquidity at the prices of their pools all there is. They are walked from the side that is given, and at each token on the way only the
 * best four walks go on. Native currency and its wrapped token are one place, where the router turns one into the other. Hops name the
 * pools' own tokens.
 */
export function longRoutesOf(pools: readonly Pool[], ends: Ends, exact: Exact): readonly Route[] {
  const filled = [...new Map(pools.map((pool) => [pool.id, pool])).values()].filter(({ liquidity }) => liquidity > 0n)
  // A walk of mixed versions must not crowd out those that may be taken.
  const walkable = ends.mayMix
    ? [filled]
    : (['v2', 'v3', 'v4'] as const).map((version) => filled.filter((pool) => pool.version === version))
  return walkable
    .flatMap((own) => walksThrough(own, ends, exact))
    .flatMap(({ hops, amount }) => {
      const [segment, ...more] = segmentsOf(hops)
      const version: RouteVersion | undefined = more.length > 0 ? 'mixed' : segment?.version
      const isLong = version === 'mixed' ? ends.mayMix : hops.length > 2
      return version !== undefined && isLong ? [{ route: { version, hops }, amount }] : []
    })
    .toSorted((one, other) => better(exact, one.amount, other.amount))
    .slice(0, mostLongRoutes)
    .map(({ route }) => route)
}

/** What goes in and comes out, and the token that pools of a version hold for it. */
export type Ends = {
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly held: (token: Token, version: Version) => Token
  /** Whether pools of several versions may stand in one route. */
  readonly mayMix: boolean
}

/** Quotes are heavy, see the routes of two hops. */
const mostLongRoutes = 12
const mostWalks = 4
const mostHops = 3

/** From the side that is given, with what it comes to there. */
type Walk = { readonly hops: readonly Hop[]; readonly at: string; readonly amount: bigint }

function walksThrough(pools: readonly Pool[], ends: Ends, exact: Exact): readonly Walk[] {
  const { tokenIn, tokenOut, held } = ends
  const placeOf = (token: Token) => held(token, 'v3').address
  const [from, to] = exact.side === 'in' ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const isEnd = (end: Token, token: Token, { version }: Pool) => held(end, version).address === token.address
  const arrived: Walk[] = []
  let walks: readonly Walk[] = [{ hops: [], at: placeOf(from), amount: exact.amount }]
  for (let hops = 1; hops <= mostHops; hops += 1) {
    const next = new Map<string, Walk[]>()
    for (const walk of walks) {
      const passed = new Set([
        placeOf(from),
        ...walk.hops.flatMap(({ pool }) => [placeOf(pool.token0), placeOf(pool.token1)]),
      ])
      for (const pool of pools) {
        for (const [near, far] of [[pool.token0, pool.token1] as const, [pool.token1, pool.token0] as const]) {
          const at = placeOf(far)
          if (placeOf(near) !== walk.at || passed.has(at)) continue
          const isArrival = at === placeOf(to)
          if (hops === 1 ? isArrival || !isEnd(from, near, pool) : isArrival && !isEnd(to, far, pool)) continue
          const stepped = step(walk, { pool, near, far, at }, exact)
          if (stepped === null) continue
          if (isArrival) arrived.push(stepped)
          else next.set(at, [...(next.get(at) ?? []), stepped])
        }
      }
    }
    walks = [...next.values()].flatMap((there) =>
      there.toSorted((one, other) => better(exact, one.amount, other.amount)).slice(0, mostWalks),
    )
  }
  return arrived
}

function step(
  { hops, amount }: Walk,
  { pool, near, far, at }: { readonly pool: Pool; readonly near: Token; readonly far: Token; readonly at: string },
  { side }: Exact,
): Walk | null {
  const hop = side === 'in' ? { pool, tokenIn: near, tokenOut: far } : { pool, tokenIn: far, tokenOut: near }
  const next = side === 'in' ? outOf(hop, amount) : intoOf(hop, amount)
  if (next === null || next <= 0n) return null
  return { hops: side === 'in' ? [...hops, hop] : [hop, ...hops], at, amount: next }
}
