import { unpackProtocolFee, v4SwapFee } from '@svc/lp-math'
import type { Hop, Pool, Quote, QuoteRequest } from '../../ports.ts'
import {
  type Route,
  type RouteAnswer,
  type Segment,
  type SegmentAnswer,
  type Exact,
  routePipe,
  routeQuery,
  segmentsOf,
} from './route-query.ts'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress, type PublicClient } from 'viem'
import { joinQueries, readQuery } from '../../rpc/query.ts'
import { readPipes } from '../../rpc/read-pipes.ts'

/** What a route would pay at its pools' present prices with no impact, after fees; 64 more bits of precision than the amount. */
export function midAmountOutX64(hops: readonly Hop[], amountIn: bigint): bigint {
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
export function priceImpactBps(hops: readonly Hop[], amountIn: bigint, amountOut: bigint): number {
  return impactBps(midAmountOutX64(hops, amountIn), amountOut)
}

/** The same against what was expected of it, in 64 more bits. */
export function impactBps(expectedX64: bigint, amountOut: bigint): number {
  const lacking = expectedX64 - (amountOut << 64n)
  return expectedX64 === 0n || lacking <= 0n ? 0 : Number((lacking * 1_000_000n) / expectedX64) / 100
}

/** The whole fee of a swap through a pool, millionths of the input; in v4 the protocol's part comes on top. */
function feePipsOf({ pool }: Hop, zeroForOne: boolean): number {
  if (pool.version !== 'v4') return pool.fee
  const protocolFee = unpackProtocolFee('v4', pool.protocolFee)
  if (protocolFee.version !== 'v4') return pool.fee
  return v4SwapFee(zeroForOne ? protocolFee.pips0 : protocolFee.pips1, pool.fee)
}

/** What the router's transaction costs, and the swaps in it. */
export function gasOf(route: Route, answer: Pick<RouteAnswer, 'swapGas'>): bigint {
  return routerGas[route.version] + swapGasOf(route, answer)
}

/** What the quoter counted for the swaps, or for v2 their usual cost. */
export function swapGasOf({ hops }: Route, { swapGas }: Pick<RouteAnswer, 'swapGas'>): bigint {
  return swapGas ?? v2HopGas * BigInt(hops.length)
}

/** What quoters counted for the parts of a route of several versions, and what it takes to hand over between them. */
function gasOfSegments(segments: readonly Segment[], answers: readonly SegmentAnswer[]): bigint {
  const swaps = segments.map(({ hops }, index) => answers[index]?.swapGas ?? v2HopGas * BigInt(hops.length))
  return swaps.reduce((sum, gas) => sum + gas, handOverGas * BigInt(segments.length - 1))
}

/** With the gas of turning native currency into its wrapped token, or back, at the ends. */
function withTurns(route: Route, answer: RouteAnswer | null): RouteAnswer | null {
  if (answer === null || (route.turns ?? 0) === 0) return answer
  return { ...answer, swapGas: swapGasOf(route, answer) + handOverGas * BigInt(route.turns ?? 0) }
}

/** Measured on the local chain. */
export const routerGas = { v2: 70_000n, v3: 28_000n, v4: 70_000n, mixed: 70_000n } as const
const v2HopGas = 62_000n
const handOverGas = 45_000n

/**
 * What gas costs in the token whose amount is not given (smallest units): what is bought for an exact input, what is paid for an exact
 * output. By the trade itself where the other token is native currency, else by the deepest pool of both; `null` where none tells.
 */
export function gasCost(
  chain: Chain,
  { tokenIn, tokenOut }: Pick<QuoteRequest, 'tokenIn' | 'tokenOut'>,
  { quote, pools, gasWei }: { readonly quote: Quote; readonly pools: readonly Pool[]; readonly gasWei: bigint },
): bigint | null {
  const natives = new Set<string>([chain.wrappedNative.address, zeroAddress])
  const isExactOut = quote.isExactOut === true
  const [token, given] = isExactOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  if (natives.has(token.address)) return gasWei
  const [amount, ofGiven] = isExactOut ? [quote.amountIn, quote.amountOut] : [quote.amountOut, quote.amountIn]
  if (natives.has(given.address)) return (gasWei * amount) / ofGiven
  const both = pools.filter(({ liquidity, token0, token1 }) => {
    const [one, other] = [token0.address, token1.address]
    return (
      liquidity > 0n && ((natives.has(one) && other === token.address) || (natives.has(other) && one === token.address))
    )
  })
  const [deepest] = both.toSorted((one, other) => (other.liquidity > one.liquidity ? 1 : -1))
  if (deepest === undefined) return null
  const price = deepest.sqrtPriceX96 ** 2n
  return natives.has(deepest.token0.address) ? (gasWei * price) >> 192n : (gasWei << 192n) / price
}

/** Negative where one amount on the other side is better than another: more out, or less in. */
export function better({ side }: Pick<Exact, 'side'>, one: bigint, other: bigint): number {
  if (one === other) return 0
  return one > other === (side === 'in') ? -1 : 1
}

/**
 * What a route would give, or take, were the liquidity at its prices all there is, as in a pair of v2; `null` where that does not reach.
 * Right within a tick, and good enough to tell routes apart.
 */
export function reckon(hops: readonly Hop[], { side, amount }: Exact): bigint | null {
  const ordered = side === 'in' ? hops : hops.toReversed()
  let current = amount
  for (const hop of ordered) {
    const next = side === 'in' ? outOf(hop, current) : intoOf(hop, current)
    if (next === null || next <= 0n) return null
    current = next
  }
  return current
}

/** What a pool would give for an input. */
export function outOf(hop: Hop, amountIn: bigint): bigint | null {
  const { into, from } = reservesOf(hop)
  const paid = (amountIn * BigInt(1_000_000 - hop.pool.fee)) / 1_000_000n
  return into === 0n ? null : (from * paid) / (into + paid)
}

/** What a pool would take for an output; `null` where it does not hold so much. */
export function intoOf(hop: Hop, amountOut: bigint): bigint | null {
  const { into, from } = reservesOf(hop)
  const left = BigInt(1_000_000 - hop.pool.fee)
  if (amountOut >= from || left <= 0n) return null
  return (((into * amountOut) / (from - amountOut)) * 1_000_000n) / left + 1n
}

/** What a constant product of this liquidity at this price would hold of both sides. */
function reservesOf({ pool, tokenIn }: Hop): { readonly into: bigint; readonly from: bigint } {
  const reserve0 = (pool.liquidity << 96n) / pool.sqrtPriceX96
  const reserve1 = (pool.liquidity * pool.sqrtPriceX96) >> 96n
  return pool.token0.address === tokenIn.address
    ? { into: reserve0, from: reserve1 }
    : { into: reserve1, from: reserve0 }
}

/** A route, and the amount that it is asked about. Of several versions for an exact input alone. */
type AskedRoute = { readonly route: Route; readonly exact: Exact }

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
