import type { Chain } from '@svc/wallet/core'
import type { Quote, QuoteRequest, RouteVersion } from '../../ports.ts'
import { tokenLabel } from '../planning/describe-amounts.ts'
import { ToolError } from '../../tool-error.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { askRoutes } from './ask-routes.ts'
import { findRoutes, type RequestedRoute } from './find-routes.ts'
import { gasCost } from './gas-cost.ts'
import { better } from './reckon-route.ts'
import { gasOf, priceImpactBps } from './route-cost.ts'
import type { Exact, Route, RouteAnswer } from './route-query.ts'
import { splitOf } from './split-quote.ts'

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
