import { unpackProtocolFee, v4SwapFee } from '@svc/lp-math'
import type { Hop } from '../../ports.ts'
import type { Route, RouteAnswer, Segment, SegmentAnswer } from './route-query.ts'

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
export function gasOfSegments(segments: readonly Segment[], answers: readonly SegmentAnswer[]): bigint {
  const swaps = segments.map(({ hops }, index) => answers[index]?.swapGas ?? v2HopGas * BigInt(hops.length))
  return swaps.reduce((sum, gas) => sum + gas, handOverGas * BigInt(segments.length - 1))
}

/** With the gas of turning native currency into its wrapped token, or back, at the ends. */
export function withTurns(route: Route, answer: RouteAnswer | null): RouteAnswer | null {
  if (answer === null || (route.turns ?? 0) === 0) return answer
  return { ...answer, swapGas: swapGasOf(route, answer) + handOverGas * BigInt(route.turns ?? 0) }
}

/** Measured on the local chain. */
export const routerGas = { v2: 70_000n, v3: 28_000n, v4: 70_000n, mixed: 70_000n } as const
const v2HopGas = 62_000n
const handOverGas = 45_000n
