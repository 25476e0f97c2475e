import type { Chain, ChainToken } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import type { Pool, QuoteRequest, Token, Version, ReadPorts } from '../../ports.ts'
import { findPoolsAtHead, type PairRequest } from '../pools/read-pool.ts'
import { longRoutesOf } from './long-routes.ts'
import { better, reckon } from './route-cost.ts'
import type { Exact, Route } from './route-query.ts'

export type RequestedRoute = Pick<QuoteRequest, 'tokenIn' | 'tokenOut' | 'maySplit'> & {
  readonly versions: readonly Version[]
}

export type FoundRoutes = {
  /** Of one or two hops and one version. */
  readonly routes: readonly Route[]
  /** Of three hops, of several versions, or over native currency for its wrapped token and the other way round. */
  readonly longRoutes: readonly Route[]
  /** Every pool that was looked at. */
  readonly pools: readonly Pool[]
  readonly blockNumber: bigint
}

/**
 * The routes worth asking the quoters about at the newest block: every pool of the pair, over one token between them, which may be any
 * that the chain lists, pairs of pools of one version, and over up to two, or of several versions where they may be mixed, the best by
 * their reserves. Of all listed tokens those that most trade against come first, in one request, two of them in one route only among the
 * first four; all others, and any two, are asked about only where these lead nowhere.
 */
export async function findRoutes(
  ports: ReadPorts,
  chain: Chain,
  request: RequestedRoute,
  exact: Exact,
): Promise<FoundRoutes> {
  const [first, rest] = await middleTokens(ports, chain, request)
  const found = await routesOver(ports, chain, request, { middles: first, hubs: first.slice(0, mostHubs), exact })
  const all = [...first, ...rest]
  if (found.routes.length + found.longRoutes.length > 0 || all.length <= mostHubs) return found
  return await routesOver(ports, chain, request, { middles: all, hubs: all, exact })
}

/** Native currency, wrapped and itself, and two dollars: each further one would be asked about with every one before it. */
const mostHubs = 4

async function routesOver(
  ports: ReadPorts,
  chain: Chain,
  request: RequestedRoute,
  {
    middles,
    hubs,
    exact,
  }: { readonly middles: readonly Middle[]; readonly hubs: readonly Middle[]; readonly exact: Exact },
): Promise<FoundRoutes> {
  const { tokenIn, tokenOut, versions } = request
  const wrapped = ports.tokens.wrapped(chain)
  const held = (token: Token, version: Version) => (token.isNative && version !== 'v4' ? wrapped : token)
  const legs = middles.flatMap(({ token, versions }) => [
    { tokens: [tokenIn, token] as const, versions },
    { tokens: [token, tokenOut] as const, versions },
  ])
  const isMixed = mayMix(chain, request, exact)
  const turned = isMixed ? await turnedPairs(ports, chain, request, hubs) : []
  const pairs = [{ tokens: [tokenIn, tokenOut] as const, versions }, ...legs, ...pairsOf(hubs, wrapped), ...turned]
  const { pools, blockNumber } = await findPoolsAtHead(ports, chain, pairs)
  const [direct = [], ...legPools] = pools
  const between = middles.map((_, index) => ({
    first: legPools[2 * index] ?? [],
    second: legPools[2 * index + 1] ?? [],
  }))
  const ends = { tokenIn, tokenOut, held, mayMix: isMixed }
  return {
    routes: routesOf({ direct, between }, (version) => held(tokenIn, version), exact),
    longRoutes: longRoutesOf(pools.flat(), ends, exact),
    pools: pools.flat(),
    blockNumber,
  }
}

/** No router makes sure of an exact output through pools of several versions: what goes between them would be fixed beforehand. */
export function mayMix({ amm }: Chain, { maySplit }: RequestedRoute, { side }: Exact): boolean {
  return maySplit === true && side === 'in' && amm.universalRouter !== undefined
}

/** Pools of v4 that hold native currency where the trade is of its wrapped token, or the other way round: with the other end, and the hubs. */
async function turnedPairs(
  ports: Pick<ReadPorts, 'tokens'>,
  chain: Chain,
  { tokenIn, tokenOut, versions }: RequestedRoute,
  hubs: readonly Middle[],
): Promise<readonly PairRequest[]> {
  const wrapped = ports.tokens.wrapped(chain)
  const end = [tokenIn, tokenOut].find(({ isNative, address }) => isNative || address === wrapped.address)
  if (end === undefined || !hasBothForms(chain, versions)) return []
  const other = end.isNative ? wrapped : await ports.tokens.byAddress(chain, zeroAddress)
  const across = [end === tokenIn ? tokenOut : tokenIn, ...hubs.map(({ token }) => token)]
  return across.map((token) => ({ tokens: [other, token] as const, versions: ['v4'] as const }))
}

/** Pools of v4 hold native currency itself, beside its wrapped token. */
function hasBothForms({ wrappedNative, nativeCurrency }: Chain, versions: readonly Version[]): boolean {
  return versions.includes('v4') && wrappedNative.symbol !== nativeCurrency.symbol
}

/** Each with each, once. Pools of v4 alone hold native currency itself. */
function pairsOf(hubs: readonly Middle[], wrapped: Token): readonly PairRequest[] {
  return hubs.flatMap((one, index) =>
    hubs
      .slice(index + 1)
      .filter(({ token }) => !(one.token.address === wrapped.address && token.isNative))
      .map((other) => ({
        tokens: [one.token, other.token] as const,
        versions: one.versions.filter((version) => other.versions.includes(version)),
      })),
  )
}

/** A token between, and the versions whose pools may lead over it. */
type Middle = { readonly token: Token; readonly versions: readonly Version[] }

/** What most pools are of (native currency, the dollars), then the others as the chain lists them: those asked about at first, and the rest. */
export async function middleTokens(
  ports: Pick<ReadPorts, 'tokens'>,
  chain: Chain,
  { tokenIn, tokenOut, versions }: RequestedRoute,
): Promise<readonly [readonly Middle[], readonly Middle[]]> {
  const wrapped = ports.tokens.wrapped(chain)
  const ends = [tokenIn, tokenOut]
  const taken = new Set(ends.map((token) => (token.isNative ? wrapped : token).address))
  // A token for itself, or for its wrapped form, needs no trade.
  if (taken.size < ends.length) return [[], []]
  const isDollar = (row: ChainToken) => Number(row.usdPegged === true)
  const dollarsFirst = chain.tokens.toSorted((one, other) => isDollar(other) - isDollar(one))
  const others = dollarsFirst.filter(({ address }) => !taken.has(address) && address !== wrapped.address)
  const tokens = await Promise.all(others.map(({ address }) => ports.tokens.byAddress(chain, address)))
  const native = hasBothForms(chain, versions) ? [await ports.tokens.byAddress(chain, zeroAddress)] : []
  const isBetween = !taken.has(wrapped.address)
  const all: readonly Middle[] = [
    ...(isBetween ? [{ token: wrapped, versions }] : []),
    ...(isBetween ? native.map((token) => ({ token, versions: ['v4'] as const })) : []),
    ...tokens.map((token) => ({ token, versions })),
  ]
  return [all.slice(0, mostMiddles), all.slice(mostMiddles)]
}

/** Some thirty reads for each of the two pairs that a token stands in. On no chain of the table is one of its dollars the eighth. */
const mostMiddles = 7

/**
 * Every pool of the pair, and for each token in between every pool on one side with every pool of the same version on the other, as far as
 * they hold anything. A shallow pool can have the better price, so what a route would give is reckoned from the liquidity at its prices: the
 * best come first, since a quoter may use up the gas of those that are asked after it in shallow ones. Hops name the pools' own tokens.
 *
 * @param entry the token that goes in as the pools of a version know it.
 */
export function routesOf(
  { direct, between }: PoolsOnTheWay,
  entry: (version: Version) => Token,
  exact: Exact,
): readonly Route[] {
  const single = direct.map((pool) => walk([pool], entry)).filter((route) => route !== null)
  const double = between
    .flatMap(({ first, second }) =>
      (['v2', 'v3', 'v4'] as const).flatMap((version) =>
        filled(first, version).flatMap((a) => filled(second, version).map((b) => walk([a, b], entry))),
      ),
    )
    .flatMap((route) => (route === null ? [] : [{ route, reckoned: reckon(route.hops, exact) }]))
    .toSorted((one, other) => {
      if (one.reckoned === null || other.reckoned === null)
        return one.reckoned === other.reckoned ? 0 : one.reckoned === null ? 1 : -1
      return better(exact, one.reckoned, other.reckoned)
    })
  const asked = firstOfEachPool(double)
  return [...single, ...double.filter((one) => asked.has(one)).map(({ route }) => route)]
}

type Reckoned = { readonly route: Route; readonly reckoned: bigint | null }

/**
 * Of routes in their order those that are asked about: the best of each pool first, then the second of each. For hardly any money a pool looks
 * deep at its price, and a few such pools of one pair, with all of the other's, would keep every other route from being asked about.
 */
function firstOfEachPool(routes: readonly Reckoned[]): ReadonlySet<Reckoned> {
  const passed = new Map<Pool, number>()
  const turnOf = ({ route, reckoned }: Reckoned): number => {
    const before = route.hops.map(({ pool }) => passed.get(pool) ?? 0)
    for (const [index, { pool }] of route.hops.entries()) passed.set(pool, (before[index] ?? 0) + 1)
    return reckoned === null ? Infinity : Math.min(...before)
  }
  const inTurn = routes
    .map((one) => ({ one, turn: turnOf(one) }))
    .toSorted((a, b) => (a.turn < b.turn ? -1 : a.turn > b.turn ? 1 : 0))
  return new Set(inTurn.slice(0, mostDoubles).map(({ one }) => one))
}

type PoolsOnTheWay = {
  readonly direct: readonly Pool[]
  readonly between: readonly { readonly first: readonly Pool[]; readonly second: readonly Pool[] }[]
}

/** Quotes are heavy: those of routes that are reckoned to be worse by far are not asked for. */
const mostDoubles = 24

function filled(pools: readonly Pool[], version: Version): readonly Pool[] {
  return pools.filter((pool) => pool.version === version && pool.liquidity > 0n)
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
