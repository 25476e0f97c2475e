import type { Chain } from '@svc/wallet/core'
import type { Quote, QuotePart, QuoteRequest } from '../../ports.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { askRoutes } from './ask-routes.ts'
import type { FoundRoutes } from './find-routes.ts'
import { reckon } from './reckon-route.ts'
import { impactBps, midAmountOutX64, routerGas, swapGasOf } from './route-cost.ts'
import type { Route, RouteAnswer } from './route-query.ts'

/**
 * An input shared by several routes that have no pool in common, each with what the quoters say of its share, so that the sum is what
 * the transaction brings; `null` where one route alone brings as much, the gas of the others counted twice. Asked about only where the
 * prices of the pools leave room for it.
 *
 * @throws ToolError `RPC_*`
 */
export async function splitOf(
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
