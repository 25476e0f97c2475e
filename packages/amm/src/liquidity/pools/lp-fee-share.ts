import type { Pool } from '../../ports/liquidity.ts'

/**
 * Share of a swap's fee that goes to liquidity providers, after the protocol's part, between 0 and 1. `fee` is the fee the
 * swap paid (hundredths of a basis point), `zeroForOne` whether token0 went in.
 * v3-core: slot0.feeProtocol holds a denominator in four bits for each token. v4-core: protocolFee holds pips of the input
 * in twelve bits for each direction, and the fee of the Swap event includes it.
 */
export function lpFeeShare(pool: Pick<Pool, 'version' | 'protocolFee'>, fee: number, zeroForOne: boolean): number {
  if (pool.version === 'v2' || fee === 0) return 1
  if (pool.version === 'v3') {
    const denominator = zeroForOne ? pool.protocolFee % 16 : pool.protocolFee >> 4
    return denominator === 0 ? 1 : 1 - 1 / denominator
  }
  const protocolPips = zeroForOne ? pool.protocolFee & 0xfff : pool.protocolFee >> 12
  return Math.max(0, 1 - protocolPips / fee)
}
