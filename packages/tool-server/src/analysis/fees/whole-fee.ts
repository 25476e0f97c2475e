import { v4SwapFee } from '@svc/lp-math'
import type { Pool } from '@svc/amm'
import { lpFeeShare } from '@svc/amm/liquidity'

/**
 * What a swap pays in a pool, in millionths of the input, and the protocol's part of it as a fraction: the mean of both directions.
 * A v4 pool's `fee` is what liquidity providers take of the rest after the protocol's part, a v3 pool's the whole.
 */
export function wholeFee(pool: Pick<Pool, 'version' | 'fee' | 'protocolFee'>): WholeFee {
  const sides = [true, false].map((zeroForOne) => {
    const protocolPips = zeroForOne ? pool.protocolFee & 0xfff : pool.protocolFee >> 12
    const feePips = pool.version === 'v4' ? v4SwapFee(protocolPips, pool.fee) : pool.fee
    return { feePips, protocolFeeShare: 1 - lpFeeShare(pool, feePips, zeroForOne) }
  })
  const mean = (of: (side: WholeFee) => number) => sides.reduce((sum, side) => sum + of(side), 0) / sides.length
  return { feePips: mean((side) => side.feePips), protocolFeeShare: mean((side) => side.protocolFeeShare) }
}

export type WholeFee = { readonly feePips: number; readonly protocolFeeShare: number }
