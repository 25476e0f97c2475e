import { unpackProtocolFee, v4SwapFee } from '@svc/lp-math'
import type { Quote } from '../../ports.ts'

/** What a route would pay at its pools' present prices with no impact, after fees; 64 more bits of precision than the amount. */
export function midAmountOutX64(hops: Quote['route'], amountIn: bigint): bigint {
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
