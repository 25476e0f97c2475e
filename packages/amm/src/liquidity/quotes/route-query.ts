import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { encodePacked, type Hex } from 'viem'
import { contractFunction } from '../../rpc/contract-function.ts'
import { query, type Query } from '../../rpc/query.ts'
import { v2RouterAbi } from '../../abis/v2.ts'
import { v3QuoterV2Abi } from '../../abis/v3.ts'
import { v4QuoterAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolKeyOf } from '../v4/pool-key.ts'
import type { Pool, Quote, Token, Version } from '../../ports.ts'

/** The way of a swap through one pool, or through two of the same version. */
export type Route = { readonly version: Version; readonly hops: Quote['route'] }

/**
 * The routes worth asking the quoters about: every pool of the pair, and for each token in between every pool on one side with every pool of
 * the same version, v2 or v3, on the other. A shallow pool can have the better price, so none but empty ones are left out; they come last,
 * since a quoter may use up the gas of those that are asked after it in them. Hops name the pools' own tokens.
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
      filled(first, version).flatMap((a, one) =>
        filled(second, version).map((b, other) => ({ route: walk([a, b], entry), place: Math.max(one, other) })),
      ),
    ),
  )
  const deepFirst = double.toSorted((one, other) => one.place - other.place).map(({ route }) => route)
  return [...single, ...deepFirst].filter((route) => route !== null)
}

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

/** What a route pays out, by the quoter of its version. */
export type RouteAnswer = {
  readonly amountOut: bigint
  /** Gas of the swap itself; `null` where the quoter does not say. */
  readonly swapGas: bigint | null
}

/**
 * Asks the quoter what a route pays out; `null` when the route cannot take the amount. QuoterV2 is content with a swap that used a
 * part of the input only: one that ran into the end of all prices did not take the amount.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`
 */
export function routeQuery(chain: Chain, route: Route, amountIn: bigint): Query<RouteAnswer | null> {
  if (route.version === 'v2') return v2Query(chain, route, amountIn)
  return route.version === 'v3' ? v3Query(chain, route, amountIn) : v4Query(chain, route, amountIn)
}

function v2Query(chain: Chain, route: Route, amountIn: bigint): Query<RouteAnswer | null> {
  const { router } = requireDeployment(chain, 'v2')
  const path = [route.hops[0]?.tokenIn, ...route.hops.map(({ tokenOut }) => tokenOut)].flatMap((token) =>
    token === undefined ? [] : [token.address],
  )
  return query([askV2(router, [amountIn, path])], ([amounts]) => {
    const amountOut = amounts?.at(-1)
    return amountOut === undefined ? null : { amountOut, swapGas: null }
  })
}

function v3Query(chain: Chain, route: Route, amountIn: bigint): Query<RouteAnswer | null> {
  const { quoterV2 } = requireDeployment(chain, 'v3')
  const read = askV3(quoterV2, [v3Path(route), amountIn])
  return query([read], ([answer]) => {
    if (answer === null) return null
    const [amountOut, pricesAfter, , swapGas] = answer
    return pricesAfter.some(isPriceLimit) ? null : { amountOut, swapGas }
  })
}

function v4Query(chain: Chain, route: Route, amountIn: bigint): Query<RouteAnswer | null> {
  const { quoter } = requireDeployment(chain, 'v4')
  const [hop] = route.hops
  if (hop === undefined) return { reads: [], finish: () => null }
  const poolKey = poolKeyOf(hop.pool)
  const zeroForOne = hop.tokenIn.address === poolKey.currency0
  const params = { poolKey, zeroForOne, exactAmount: amountIn, hookData: '0x' } as const
  return query([askV4(quoter, [params])], ([answer]) =>
    answer === null ? null : { amountOut: answer[0], swapGas: answer[1] },
  )
}

/** Tokens with the fees between them, packed (v3-periphery Path). */
function v3Path(route: Route): Hex {
  const [first] = route.hops
  const types = ['address', ...route.hops.flatMap(() => ['uint24', 'address'])]
  return encodePacked(types, [
    first?.tokenIn.address,
    ...route.hops.flatMap(({ pool, tokenOut }) => [pool.fee, tokenOut.address]),
  ])
}

/** Where a swap ends that found no more liquidity (SwapRouter's own limits). */
function isPriceLimit(sqrtPriceX96: bigint): boolean {
  return sqrtPriceX96 <= MIN_SQRT_PRICE + 1n || sqrtPriceX96 >= MAX_SQRT_PRICE - 1n
}

const askV2 = contractFunction(v2RouterAbi, 'getAmountsOut')
const askV3 = contractFunction(v3QuoterV2Abi, 'quoteExactInput')
const askV4 = contractFunction(v4QuoterAbi, 'quoteExactInputSingle')
