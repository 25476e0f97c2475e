import { divRoundingUp, Q96 } from '../integers/integers.ts'
import { requireLiquidity, requireSqrtPrice } from './require-arguments.ts'

/**
 * Amount of token0 (its smallest units) between two sqrt prices (Q64.96, either order) for a liquidity.
 * L * (1/sqrtLower - 1/sqrtUpper). Source: v3 whitepaper eq. 6.16; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` or `LIQUIDITY_OUT_OF_RANGE`.
 */
export function getAmount0Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  roundUp: boolean,
): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireLiquidity(liquidity)
  const product = (liquidity << 96n) * (upper - lower)
  return roundUp ? divRoundingUp(divRoundingUp(product, upper), lower) : product / upper / lower
}

/**
 * Amount of token1 (its smallest units) between two sqrt prices (Q64.96, either order) for a liquidity.
 * L * (sqrtUpper - sqrtLower). Source: v3 whitepaper eq. 6.14; SqrtPriceMath of v3-core, same rounding.
 * @throws LpMathError `SQRT_PRICE_OUT_OF_RANGE` or `LIQUIDITY_OUT_OF_RANGE`.
 */
export function getAmount1Delta(
  sqrtPriceAX96: bigint,
  sqrtPriceBX96: bigint,
  liquidity: bigint,
  roundUp: boolean,
): bigint {
  const lower = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceAX96 : sqrtPriceBX96
  const upper = sqrtPriceAX96 < sqrtPriceBX96 ? sqrtPriceBX96 : sqrtPriceAX96
  requireSqrtPrice(lower)
  requireLiquidity(liquidity)
  const product = liquidity * (upper - lower)
  return roundUp ? divRoundingUp(product, Q96) : product >> 96n
}
