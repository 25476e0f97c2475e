import type { Chain } from '@svc/wallet'
import type { Quote, QuoteRequest, Token, Version } from '../../../ports.ts'
import { ToolError } from '../../../tool-error.ts'
import { joinQueries } from '../../rpc/query.ts'
import { readQuery } from '../../rpc/read-query.ts'
import { findPoolsOfPairs } from '../pools/find-pools-of-pairs.ts'
import type { ReadPorts } from '../read-ports.ts'
import { priceImpactBps } from './mid-amount-out.ts'
import { routeQuery, type RouteAnswer } from './route-query.ts'
import { routesOf, type Route } from './routes.ts'

/**
 * The best that an exact input buys at one block: over all pools of the pair, and over two hops through the wrapped native token or
 * a listed dollar token within v2 or v3. Amounts come from the quoters on chain; routes that cannot take the amount are passed
 * over.
 *
 * @throws ToolError `POOL_NOT_FOUND`, `INSUFFICIENT_LIQUIDITY`, `AMOUNT_TOO_SMALL`, `RPC_*`
 */
export async function quote(ports: ReadPorts, chain: Chain, request: QuoteRequest): Promise<Quote> {
  const { amountIn } = request
  if (amountIn <= 0n) throw new ToolError('AMOUNT_TOO_SMALL', 'A swap needs an amount above zero.')
  if (amountIn >= 2n ** 127n) throw tooLittleLiquidity()
  const { number: blockNumber } = await ports.rpc.head(chain)
  const routes = await findRoutes(ports, chain, request, blockNumber)
  if (routes.length === 0) throw new ToolError('POOL_NOT_FOUND', 'No pool leads from the one token to the other.')
  const queries = routes.map((route) => routeQuery(chain, route, amountIn))
  const answers = await readQuery(ports.rpc.client(chain), chain, joinQueries(queries), blockNumber, quotesPerCall)
  const best = bestOf(routes, answers)
  if (best === null) throw tooLittleLiquidity()
  const { route, answer } = best
  return {
    amountIn,
    amountOut: answer.amountOut,
    route: route.hops,
    version: route.version,
    priceImpactBps: priceImpactBps(route.hops, amountIn, answer.amountOut),
    gasEstimate: gasOf(route, answer),
    blockNumber,
  }
}

/** Quotes are heavy: a few in one eth_call stay far below the gas that nodes grant it. */
const quotesPerCall = 8
/** Beside the wrapped native token. */
const mostDollarTokens = 3

async function findRoutes(
  ports: ReadPorts,
  chain: Chain,
  { tokenIn, tokenOut, versions = ['v2', 'v3', 'v4'] }: QuoteRequest,
  blockNumber: bigint,
): Promise<readonly Route[]> {
  const entry = (version: Version) => (tokenIn.isNative && version !== 'v4' ? ports.tokens.wrapped(chain) : tokenIn)
  const hopVersions = versions.filter((version) => version !== 'v4')
  const middles = hopVersions.length === 0 ? [] : await middleTokens(ports, chain, [tokenIn, tokenOut])
  const legs = middles.flatMap((middle) => [
    { tokens: [tokenIn, middle] as const, versions: hopVersions },
    { tokens: [middle, tokenOut] as const, versions: hopVersions },
  ])
  const pairs = [{ tokens: [tokenIn, tokenOut] as const, versions }, ...legs]
  const [direct = [], ...legPools] = await findPoolsOfPairs(ports, chain, pairs, blockNumber)
  const between = middles.map((_, index) => ({
    first: legPools[2 * index] ?? [],
    second: legPools[2 * index + 1] ?? [],
  }))
  return routesOf(direct, between, entry)
}

async function middleTokens(ports: ReadPorts, chain: Chain, ends: readonly Token[]): Promise<readonly Token[]> {
  const dollars = chain.tokens.filter(({ usdPegged }) => usdPegged).slice(0, mostDollarTokens)
  const wrapped = ports.tokens.wrapped(chain)
  const candidates = [
    wrapped,
    ...(await Promise.all(dollars.map(({ address }) => ports.tokens.byAddress(chain, address)))),
  ]
  const taken = new Set(ends.map((token) => (token.isNative ? wrapped : token).address))
  return candidates.filter(({ address }) => !taken.has(address))
}

/** The most out wins; among equals the one named first, which has fewer hops. */
function bestOf(
  routes: readonly Route[],
  answers: readonly (RouteAnswer | null)[],
): { route: Route; answer: RouteAnswer } | null {
  let best: { route: Route; answer: RouteAnswer } | null = null
  for (const [index, route] of routes.entries()) {
    const answer = answers[index] ?? null
    if (answer === null || answer.amountOut <= (best?.answer.amountOut ?? 0n)) continue
    best = { route, answer }
  }
  return best
}

/** What a router's transaction costs beside the swaps, and what a v2 hop costs (measured on the local chain). */
function gasOf(route: Route, answer: RouteAnswer): bigint {
  return answer.swapGas === null ? 60_000n + 60_000n * BigInt(route.hops.length) : 60_000n + answer.swapGas
}

function tooLittleLiquidity(): ToolError {
  return new ToolError('INSUFFICIENT_LIQUIDITY', 'No pool can take this amount.')
}
