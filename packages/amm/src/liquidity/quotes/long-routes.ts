import type { Hop, Pool, RouteVersion, Token, Version } from '../../ports.ts'
import { better, intoOf, outOf } from './route-cost.ts'
import { type Exact, type Route, segmentsOf } from './route-query.ts'

/**
 * Routes of three hops, and where they may be mixed those of several versions and those whose pools of v4 hold native currency where the
 * trade is of its wrapped token, or the other way round: the dozen that give most, or take least, were the liquidity at the prices of their
 * pools all there is. They are walked from the side that is given, and at each token on the way only the best four walks go on. Native
 * currency and its wrapped token are one place, where the router turns one into the other. Hops name the pools' own tokens.
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
      const turns = turnsOf(hops, ends)
      const version: RouteVersion | undefined = more.length + turns > 0 ? 'mixed' : segment?.version
      const isLong = version === 'mixed' ? ends.mayMix : hops.length > 2
      const route = { ...(turns > 0 && { turns }), hops }
      return version !== undefined && isLong ? [{ route: { version, ...route }, amount }] : []
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
  /** Whether pools of several versions may stand in one route, and its ends be turned into the other form of native currency. */
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
          const isTurned = (hops === 1 && !isEnd(from, near, pool)) || (isArrival && !isEnd(to, far, pool))
          // What leads there at once, in the tokens of the trade, is none of these.
          if (isTurned ? !ends.mayMix : hops === 1 && isArrival) continue
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

function turnsOf(hops: readonly Hop[], { tokenIn, tokenOut, held }: Ends): number {
  const [first, last] = [hops[0], hops.at(-1)]
  if (first === undefined || last === undefined) return 0
  const isTurned = (end: Token, token: Token, { version }: Pool) => held(end, version).address !== token.address
  return Number(isTurned(tokenIn, first.tokenIn, first.pool)) + Number(isTurned(tokenOut, last.tokenOut, last.pool))
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
