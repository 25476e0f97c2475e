import type { Chain } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import { joinQueries, readQuery } from '../../rpc/query.ts'
import { readPipes } from '../../rpc/read-pipes.ts'
import { gasOfSegments, withTurns } from './route-cost.ts'
import { type Exact, type Route, type RouteAnswer, routePipe, routeQuery, segmentsOf } from './route-query.ts'

/** A route, and the amount that it is asked about. Of several versions for an exact input alone. */
export type AskedRoute = { readonly route: Route; readonly exact: Exact }

/**
 * What routes pay out or take at one block, in one request; `null` for one that cannot take its amount.
 *
 * @throws ToolError `RPC_*`, `VERSION_NOT_DEPLOYED`
 */
export async function askRoutes(
  client: PublicClient,
  chain: Chain,
  asked: readonly AskedRoute[],
  blockNumber: bigint,
): Promise<readonly (RouteAnswer | null)[]> {
  const isMixed = ({ route }: AskedRoute) => segmentsOf(route.hops).length > 1
  const [mixed, others] = [asked.filter(isMixed), asked.filter((one) => !isMixed(one))]
  const [piped, answered] = await Promise.all([
    readPipes(
      client,
      mixed.map(({ route, exact }) => routePipe(chain, route, exact.amount)),
      blockNumber,
    ),
    readQuery(
      client,
      chain,
      joinQueries(others.map(({ route, exact }) => routeQuery(chain, route, exact))),
      blockNumber,
      quotesPerCall,
    ),
  ])
  const answers = new Map<AskedRoute, RouteAnswer | null>(
    others.map((one, index) => [one, withTurns(one.route, answered[index] ?? null)]),
  )
  for (const [index, one] of mixed.entries()) {
    const segments = piped[index] ?? null
    const amountOut = segments?.at(-1)?.other
    if (segments === null || amountOut === undefined) continue
    const swapGas = gasOfSegments(segmentsOf(one.route.hops), segments)
    answers.set(one, withTurns(one.route, { amountIn: one.exact.amount, amountOut, swapGas }))
  }
  return asked.map((one) => answers.get(one) ?? null)
}

/** Quotes are heavy: a few in one eth_call stay far below the gas that nodes grant it. */
const quotesPerCall = 8
