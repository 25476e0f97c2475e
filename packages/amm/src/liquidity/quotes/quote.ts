import { unpackProtocolFee, v4SwapFee } from '@svc/lp-math'
import type { Quote, QuoteRequest, Token, Version } from '../../ports.ts'
import type { Chain } from '@svc/wallet/core'
import { tokenLabel } from '../planning/describe-amounts.ts'
import { ToolError } from '../../tool-error.ts'
import { joinQueries, readQuery } from '../../rpc/query.ts'
import { findPoolsAtHead } from '../pools/find-pools-of-pairs.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { type Route, type RouteAnswer, routeQuery, routesOf } from './route-query.ts'

/**
 * The best that an exact input buys at one block: over all pools of the pair, and over two hops through the wrapped native token or
 * a listed dollar token within v2 or v3. Amounts come from the quoters on chain; routes that cannot take the amount are passed
 * over, and one that would lose half to price impact is none.
 *
 * @throws ToolError `POOL_NOT_FOUND`, `INSUFFICIENT_LIQUIDITY`, `AMOUNT_TOO_SMALL`, `RPC_*`
 */
export async function quote(ports: ReadPorts, chain: Chain, request: QuoteRequest): Promise<Quote> {
  const { amountIn } = request
  if (amountIn <= 0n) throw tooSmall('A swap needs an amount above zero.')
  if (amountIn >= 2n ** 127n) throw tooLittleLiquidity()
  const { versions = allVersions } = request
  const { routes, blockNumber } = await findRoutes(ports, chain, { ...request, versions })
  if (routes.length === 0) throw await refuseRoute(ports, chain, { ...request, versions })
  const queries = routes.map((route) => routeQuery(chain, route, amountIn))
  const answers = await readQuery(ports.rpc.client(chain), chain, joinQueries(queries), blockNumber, quotesPerCall)
  const best = bestOf(routes, answers)
  if (best === null && answers.some((answer) => answer?.amountOut === 0n)) throw tooSmall('The amount buys nothing.')
  const impactBps = best === null ? mostImpactBps : priceImpactBps(best.route.hops, amountIn, best.answer.amountOut)
  if (best === null || impactBps >= mostImpactBps) throw tooLittleLiquidity()
  return {
    amountIn,
    amountOut: best.answer.amountOut,
    route: best.route.hops,
    version: best.route.version,
    priceImpactBps: impactBps,
    gasEstimate: gasOf(best.route, best.answer),
    blockNumber,
  }
}

const allVersions = ['v2', 'v3', 'v4'] as const

/** Who would lose half to price impact is not trading but giving away. */
const mostImpactBps = 5_000

/** Quotes are heavy: a few in one eth_call stay far below the gas that nodes grant it. */
const quotesPerCall = 8
/** Beside the wrapped native token. */
const mostDollarTokens = 3

async function findRoutes(
  ports: ReadPorts,
  chain: Chain,
  { tokenIn, tokenOut, versions }: RequestedRoute,
): Promise<{ readonly routes: readonly Route[]; readonly blockNumber: bigint }> {
  const entry = (version: Version) => (tokenIn.isNative && version !== 'v4' ? ports.tokens.wrapped(chain) : tokenIn)
  const hopVersions = versions.filter((version) => version !== 'v4')
  const middles = hopVersions.length === 0 ? [] : await middleTokens(ports, chain, [tokenIn, tokenOut])
  const legs = middles.flatMap((middle) => [
    { tokens: [tokenIn, middle] as const, versions: hopVersions },
    { tokens: [middle, tokenOut] as const, versions: hopVersions },
  ])
  const pairs = [{ tokens: [tokenIn, tokenOut] as const, versions }, ...legs]
  const { pools, blockNumber } = await findPoolsAtHead(ports, chain, pairs)
  const [direct = [], ...legPools] = pools
  const between = middles.map((_, index) => ({
    first: legPools[2 * index] ?? [],
    second: legPools[2 * index + 1] ?? [],
  }))
  return { routes: routesOf(direct, between, entry), blockNumber }
}

async function refuseRoute(ports: ReadPorts, chain: Chain, request: RequestedRoute) {
  const others = allVersions.filter((version) => !request.versions.includes(version))
  if (others.length === 0) return noRoute(chain, request, [])
  const { routes } = await findRoutes(ports, chain, { ...request, versions: others })
  const leading = others.filter((version) => routes.some((route) => route.version === version))
  return noRoute(chain, request, leading)
}

async function middleTokens(ports: ReadPorts, chain: Chain, ends: readonly Token[]): Promise<readonly Token[]> {
  const dollars = chain.tokens.filter(({ usdPegged }) => usdPegged).slice(0, mostDollarTokens)
  const wrapped = ports.tokens.wrapped(chain)
  const candidates = [
    wrapped,
    ...(await Promise.all(dollars.map(({ address }) => ports.tokens.byAddress(chain, address)))),
  ]
  const taken = new Set(ends.map((token) => (token.isNative ? wrapped : token).address))
  // A token for itself, or for its wrapped form, needs no trade.
  if (taken.size < ends.length) return []
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

/** What the quoter counted for the swaps, or for v2 their usual cost, and what the router's transaction costs around them. */
function gasOf({ version, hops }: Route, { swapGas }: RouteAnswer): bigint {
  return routerGas[version] + (swapGas ?? v2HopGas * BigInt(hops.length))
}

/** Measured on the local chain. */
const routerGas = { v2: 70_000n, v3: 28_000n, v4: 70_000n } as const
const v2HopGas = 62_000n

function tooLittleLiquidity(): ToolError {
  const message = 'No pool can take this amount without losing half of it to price impact.'
  return new ToolError('INSUFFICIENT_LIQUIDITY', message, {
    details: [{ field: 'amount', message, accepted: 'a smaller amount' }],
  })
}

function tooSmall(message: string): ToolError {
  return new ToolError('AMOUNT_TOO_SMALL', message, {
    details: [{ field: 'amount', message, accepted: 'a larger amount' }],
  })
}

/** The refusal of a trade that no pools of its versions lead through: what was looked for, and which other versions do lead there. */
export function noRoute(chain: Chain, request: RequestedRoute, leading: readonly Version[]): ToolError {
  const { tokenIn, tokenOut, versions } = request
  const tokens = [tokenIn, tokenOut].map(tokenLabel)
  const isDirect = versions.every((version) => version === 'v4')
  const way = isDirect ? 'directly' : 'directly or over a token between them'
  const hops = isDirect
    ? 'v4 is quoted directly alone, never over a token between'
    : 'At most one token between is tried'
  const isOther = leading.length > 0
  const others = isOther ? `; of ${leading.join(', ')} some do` : ''
  const message = `No pools of ${versions.join(', ')} lead from ${tokens.join(' to ')} on ${chain.name} ${way}${others}.`
  const accepted = isOther ? leading : 'a token that tokenIn trades against'
  const field = isOther ? 'version' : 'tokenOut'
  return new ToolError('POOL_NOT_FOUND', message, {
    details: [{ field, message, accepted, tokens, versionsLookedFor: versions }],
    suggestion: isOther
      ? `${isDirect ? `${hops}: leave` : 'Leave'} version out, or name one that leads there.`
      : `${hops}. Where longer ways exist, swap twice: first into a token that tokenOut trades against (search_pools with token shows them), then into tokenOut. Else check both tokens and the chain.`,
  })
}

type RequestedRoute = Pick<QuoteRequest, 'tokenIn' | 'tokenOut'> & { readonly versions: readonly Version[] }

/** What a route would pay at its pools' present prices with no impact, after fees; 64 more bits of precision than the amount. */
function midAmountOutX64(hops: Quote['route'], amountIn: bigint): bigint {
  return hops.reduce((amountX64, hop) => {
    const zeroForOne = hop.tokenIn.address === hop.pool.token0.address
    const afterFee = (amountX64 * BigInt(1_000_000 - feePipsOf(hop, zeroForOne))) / 1_000_000n
    const priceX192 = hop.pool.sqrtPriceX96 ** 2n
    return zeroForOne ? (afterFee * priceX192) >> 192n : (afterFee << 192n) / priceX192
  }, amountIn << 64n)
}

/**
 * How much worse than the mid price an amount is, fees left out, in basis points with two decimals; 0 when it is better (by
 * rounding).
 */
export function priceImpactBps(hops: Quote['route'], amountIn: bigint, amountOut: bigint): number {
  const expected = midAmountOutX64(hops, amountIn)
  const lacking = expected - (amountOut << 64n)
  return expected === 0n || lacking <= 0n ? 0 : Number((lacking * 1_000_000n) / expected) / 100
}

/** The whole fee of a swap through a pool, millionths of the input; in v4 the protocol's part comes on top. */
function feePipsOf({ pool }: Quote['route'][number], zeroForOne: boolean): number {
  if (pool.version !== 'v4') return pool.fee
  const protocolFee = unpackProtocolFee('v4', pool.protocolFee)
  if (protocolFee.version !== 'v4') return pool.fee
  return v4SwapFee(zeroForOne ? protocolFee.pips0 : protocolFee.pips1, pool.fee)
}
