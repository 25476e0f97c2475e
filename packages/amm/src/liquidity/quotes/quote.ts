import type { Chain } from '@svc/wallet/core'
import type { Quote, QuoteRequest, RouteVersion, QuotePart, ReadPorts } from '../../ports.ts'
import { tokenLabel } from '../planning/plan-payment.ts'
import { ToolError } from '../../tool-error.ts'
import {
  askRoutes,
  gasCost,
  better,
  gasOf,
  priceImpactBps,
  reckon,
  impactBps,
  midAmountOutX64,
  routerGas,
  swapGasOf,
} from './route-cost.ts'
import { findRoutes, type RequestedRoute, type FoundRoutes } from './find-routes.ts'
import type { Exact, Route, RouteAnswer } from './route-query.ts'

/**
 * The best at one block that an exact input buys, or that an exact output costs: over all pools of the pair, and over up to three hops
 * through tokens that the chain lists. Amounts come from the quoters on chain; routes that cannot take the amount are passed over, and one
 * that would lose half to price impact is none. Three hops, and several versions in one route, are taken where they bring more than their
 * gas. Where it is asked for, several routes share an input that brings more so than its gas.
 *
 * @throws ToolError `POOL_NOT_FOUND`, `INSUFFICIENT_LIQUIDITY`, `AMOUNT_TOO_SMALL`, `RPC_*`
 */
export async function quote(ports: ReadPorts, chain: Chain, request: QuoteRequest): Promise<Quote> {
  const exact: Exact =
    request.amountIn === undefined
      ? { side: 'out', amount: request.amountOut }
      : { side: 'in', amount: request.amountIn }
  if (exact.amount <= 0n) throw tooSmall('A swap needs an amount above zero.')
  if (exact.amount >= 2n ** 127n) throw tooLittleLiquidity()
  const { versions = allVersions } = request
  const found = await findRoutes(ports, chain, { ...request, versions }, exact)
  const { routes, longRoutes, pools, blockNumber } = found
  const all = [...routes, ...longRoutes]
  if (all.length === 0) throw await refuseRoute(ports, chain, { ...request, versions }, exact)
  const client = ports.rpc.client(chain)
  const asked = all.map((route) => ({ route, exact }))
  const [answers, gasPrice] = await Promise.all([
    askRoutes(client, chain, asked, blockNumber),
    all.length > routes.length || request.maySplit === true ? client.getGasPrice() : 0n,
  ])
  const usable = (best: BestRoute | null) => {
    const one = best === null ? null : quoteOf(best, exact, blockNumber)
    return one === null || one.priceImpactBps >= mostImpactBps ? null : one
  }
  const short = usable(bestOf(routes, answers, exact))
  const long = usable(bestOf(longRoutes, answers.slice(routes.length), exact))
  const costOf = (gas: bigint, to: Quote) => gasCost(chain, request, { quote: to, pools, gasWei: gas * gasPrice })
  const single = long !== null && (short === null || isWorthItsGas(long, short, costOf)) ? long : short
  if (single === null && answers.some((answer) => answer?.amountOut === 0n)) throw buysNothing()
  if (single === null) throw tooLittleLiquidity()
  if (request.maySplit !== true) return single
  return (await splitOf(ports, chain, request, { ...found, single, costOf: (gas) => costOf(gas, single) })) ?? single
}

/** Whether one quote is better than another by more than twice the gas that it takes more. */
function isWorthItsGas(long: Quote, short: Quote, costOf: (gas: bigint, to: Quote) => bigint | null): boolean {
  const gain = short.isExactOut === true ? short.amountIn - long.amountIn : long.amountOut - short.amountOut
  if (gain <= 0n) return false
  const more = long.gasEstimate - short.gasEstimate
  if (more <= 0n) return true
  const cost = costOf(more, short)
  return cost !== null && gain > 2n * cost
}

function quoteOf({ route, answer }: BestRoute, { side }: Exact, blockNumber: bigint): Quote {
  const { amountIn, amountOut } = answer
  return {
    amountIn,
    amountOut,
    ...(side === 'out' ? { isExactOut: true } : {}),
    route: route.hops,
    version: route.version,
    priceImpactBps: priceImpactBps(route.hops, amountIn, amountOut),
    gasEstimate: gasOf(route, answer),
    blockNumber,
  }
}

const allVersions = ['v2', 'v3', 'v4'] as const

/** Who would lose half to price impact is not trading but giving away. */
const mostImpactBps = 5_000

/** Long routes are found as far as they hold the amount that is asked for: that may be at fault, and not the way. */
async function refuseRoute(
  ports: ReadPorts,
  chain: Chain,
  { maySplit, ...request }: RequestedRoute,
  { side }: Exact,
): Promise<ToolError> {
  const whole = { side: 'in', amount: 10n ** BigInt(request.tokenIn.decimals) } as const
  const versionsBy = async (asked: RequestedRoute) => {
    const { routes, longRoutes } = await findRoutes(ports, chain, asked, whole)
    return new Set([...routes, ...longRoutes].map(({ version }) => version))
  }
  const mayMix = side === 'in' && maySplit === true
  const own = await versionsBy(mayMix ? { ...request, maySplit } : request)
  if (own.size > 0) return side === 'in' ? buysNothing() : tooLittleLiquidity()
  const found = await versionsBy({ ...request, versions: allVersions, maySplit: true })
  return noRoute(
    chain,
    request,
    [...allVersions, 'mixed' as const].filter((version) => found.has(version)),
  )
}

type BestRoute = { readonly route: Route; readonly answer: RouteAnswer }

/** The most out, or the least in, wins; among equals the one named first, which has fewer hops. */
function bestOf(routes: readonly Route[], answers: readonly (RouteAnswer | null)[], exact: Exact): BestRoute | null {
  const otherSide = ({ amountIn, amountOut }: RouteAnswer) => (exact.side === 'in' ? amountOut : amountIn)
  let best: BestRoute | null = null
  for (const [index, route] of routes.entries()) {
    const answer = answers[index] ?? null
    if (answer === null || otherSide(answer) <= 0n) continue
    if (best === null || better(exact, otherSide(answer), otherSide(best.answer)) < 0) best = { route, answer }
  }
  return best
}

function tooLittleLiquidity(): ToolError {
  const message = 'No pool can take this amount without losing half of it to price impact.'
  return new ToolError('INSUFFICIENT_LIQUIDITY', message, {
    details: [{ field: 'amount', message, accepted: 'a smaller amount' }],
  })
}

function buysNothing(): ToolError {
  return tooSmall('The amount buys nothing.')
}

function tooSmall(message: string): ToolError {
  return new ToolError('AMOUNT_TOO_SMALL', message, {
    details: [{ field: 'amount', message, accepted: 'a larger amount' }],
  })
}

/** The refusal of a trade that no pools of its versions lead through: what was looked for, and what does lead there. */
export function noRoute(chain: Chain, request: RequestedRoute, leading: readonly RouteVersion[]): ToolError {
  const { tokenIn, tokenOut, versions } = request
  const tokens = [tokenIn, tokenOut].map(tokenLabel)
  const others = leading.filter((version) => version !== 'mixed')
  const isMixed = leading.includes('mixed') && others.length === 0
  const some = others.length > 0 ? `; of ${others.join(', ')} some do` : ''
  const mixed = isMixed
    ? '; routes of several versions, or over native currency itself, do, which are for exact inputs'
    : ''
  const message = `No pools of ${versions.join(', ')} lead from ${tokens.join(' to ')} on ${chain.name} directly or over one or two listed tokens between them${some}${mixed}.`
  const detail = { message, tokens, versionsLookedFor: versions }
  if (others.length > 0)
    return new ToolError('POOL_NOT_FOUND', message, {
      details: [{ field: 'version', accepted: others, ...detail }],
      suggestion: 'Leave version out, or name one that leads there.',
    })
  if (isMixed)
    return new ToolError('POOL_NOT_FOUND', message, {
      details: [{ field: 'type', accepted: 'exact_in without version', ...detail }],
      suggestion:
        'Sell an exact input by execute_swap (type exact_in) and leave version out: exact outputs go through pools of one version, in the tokens of the trade.',
    })
  return new ToolError('POOL_NOT_FOUND', message, {
    details: [{ field: 'tokenOut', accepted: 'a token that tokenIn trades against', ...detail }],
    suggestion: `At most two tokens between are tried. Where longer ways exist, swap twice: first into a token that tokenOut trades against (search_pools with token shows them), then into tokenOut. Else check both tokens and the chain.`,
  })
}

/**
 * An input shared by several routes that have no pool in common, each with what the quoters say of its share, so that the sum is what
 * the transaction brings; `null` where one route alone brings as much, the gas of the others counted twice. Asked about only where the
 * prices of the pools leave room for it.
 *
 * @throws ToolError `RPC_*`
 */
async function splitOf(
  ports: ReadPorts,
  chain: Chain,
  { amountIn }: QuoteRequest,
  {
    routes,
    longRoutes,
    single,
    blockNumber,
    costOf,
  }: FoundRoutes & { readonly single: Quote; readonly costOf: CostOf },
): Promise<Quote | null> {
  if (amountIn === undefined || chain.amm.universalRouter === undefined || amountIn < shares) return null
  const best = [...routes, ...longRoutes].find(({ hops }) => hops === single.route)
  if (best === undefined) throw new TypeError('the quote is of no route that was found')
  const candidates = routesWithoutCommonPool([...routes, ...longRoutes], best, amountIn / 4n)
  if (costOf(0n) === null || candidates.length < 2 || !hasRoom(candidates, single)) return null
  const asked = candidates.flatMap((route) =>
    steps.map((step) => ({ route, exact: { side: 'in', amount: (amountIn * step) / shares } as const })),
  )
  const answers = await askRoutes(ports.rpc.client(chain), chain, asked, blockNumber)
  const ladders = candidates.map((route, index) => ({
    route,
    answers: answers.slice(index * steps.length, (index + 1) * steps.length),
  }))
  const found = bestShares(ladders, (gas) => costOf(gas) ?? 0n)
  return found === null ? null : quoteOfShares(found, { amountIn, single, costOf })
}

/** Gas in what is bought, at the present price of gas; `null` where nothing tells. */
type CostOf = (gas: bigint) => bigint | null

/** Tenths of the input. */
const shares = 10n
const steps = Array.from({ length: 10 }, (_, index) => BigInt(index + 1))

const mostRoutes = 4

/** The one that is best alone, and those beside it that a quarter of the input goes furthest through, none through a pool of another. */
function routesWithoutCommonPool(routes: readonly Route[], best: Route, amount: bigint): readonly Route[] {
  const reckoned = routes
    .map((route) => ({ route, out: reckon(route.hops, { side: 'in', amount }) ?? 0n }))
    .filter(({ out }) => out > 0n)
    .toSorted((one, other) => (other.out > one.out ? 1 : other.out < one.out ? -1 : 0))
  const chosen = [best]
  for (const { route } of reckoned) {
    const taken = new Set(chosen.flatMap(({ hops }) => hops.map(({ pool }) => pool.id)))
    if (chosen.length < mostRoutes && route.hops.every(({ pool }) => !taken.has(pool.id))) chosen.push(route)
  }
  return chosen
}

/** Whether the best price among the routes, were it that of the whole, leaves more than dust beyond what one route brings. */
function hasRoom(candidates: readonly Route[], { amountIn, amountOut }: Quote): boolean {
  const most = candidates.reduce((best, { hops }) => {
    const mid = midAmountOutX64(hops, amountIn)
    return mid > best ? mid : best
  }, 0n)
  return impactBps(most, amountOut) >= leastRoomBps
}

/** What is less than this is not worth another question. */
const leastRoomBps = 5

type Ladder = { readonly route: Route; readonly answers: readonly (RouteAnswer | null)[] }

type Shares = readonly { readonly route: Route; readonly share: bigint; readonly answer: RouteAnswer }[]

/**
 * Shares the tenths out so that most is left once the gas of every route is paid (twice that of what comes beside the first); `null` where
 * all goes through one.
 */
function bestShares(ladders: readonly Ladder[], costOf: (gas: bigint) => bigint): Shares | null {
  let reached: readonly ({ readonly net: bigint; readonly shares: Shares } | null)[] = [
    { net: 0n, shares: [] },
    ...steps.map(() => null),
  ]
  for (const { route, answers } of ladders) {
    const next = [...reached]
    for (const [used, before] of reached.entries()) {
      if (before === null) continue
      for (const step of steps) {
        const answer = answers[Number(step) - 1] ?? null
        const at = used + Number(step)
        if (at > steps.length || answer === null) continue
        const cost = costOf(swapGasOf(route, answer)) * 2n
        const net = before.net + answer.amountOut - cost
        const there = next[at] ?? null
        if (there === null || net > there.net)
          next[at] = { net, shares: [...before.shares, { route, share: step, answer }] }
      }
    }
    reached = next
  }
  const whole = reached[steps.length] ?? null
  return whole === null || whole.shares.length < 2 ? null : whole.shares
}

function quoteOfShares(
  found: Shares,
  { amountIn, single, costOf }: { readonly amountIn: bigint; readonly single: Quote; readonly costOf: CostOf },
): Quote | null {
  const [largest, ...others] = found.toSorted((one, other) => Number(other.share - one.share))
  if (largest === undefined) return null
  const asPart = ({ route, answer }: Shares[number], rest = 0n): QuotePart => ({
    version: route.version,
    route: route.hops,
    amountIn: answer.amountIn + rest,
    amountOut: answer.amountOut,
  })
  // What tenths leave over goes with the largest.
  const rest = amountIn - found.reduce((sum, { answer }) => sum + answer.amountIn, 0n)
  const parts = [asPart(largest, rest), ...others.map((one) => asPart(one))]
  const amountOut = parts.reduce((sum, part) => sum + part.amountOut, 0n)
  const gasEstimate = found.reduce<bigint>((sum, { route, answer }) => sum + swapGasOf(route, answer), routerGas.v4)
  const more = gasEstimate > single.gasEstimate ? gasEstimate - single.gasEstimate : 0n
  if (amountOut - single.amountOut <= 2n * (costOf(more) ?? 0n)) return null
  const expected = parts.reduce((sum, part) => sum + midAmountOutX64(part.route, part.amountIn), 0n)
  const { version, route } = asPart(largest)
  return {
    amountIn,
    amountOut,
    version,
    route,
    parts,
    priceImpactBps: impactBps(expected, amountOut),
    gasEstimate,
    blockNumber: single.blockNumber,
  }
}
