import { requireLiquidity } from '../sqrt-price/require-arguments.ts'

/**
 * Fees (smallest units, rounded down) a liquidity earned while the growth inside its range (Q128.128, modulo 2^256) went from `last`
 * to `now`. Source: v3 whitepaper eq. 6.28; Position of v3-core (cut to 128 bits there) and v4-core.
 * @throws LpMathError `LIQUIDITY_OUT_OF_RANGE`.
 */
export function feesOwed(liquidity: bigint, feeGrowthInsideNowX128: bigint, feeGrowthInsideLastX128: bigint): bigint {
  requireLiquidity(liquidity)
  const growth = BigInt.asUintN(256, feeGrowthInsideNowX128 - feeGrowthInsideLastX128)
  return BigInt.asUintN(128, (growth * liquidity) >> 128n)
}
