import { integerSqrt } from '../integers/integer-sqrt.ts'
import { requireAmount } from '../sqrt-price/require-arguments.ts'

/**
 * Pair tokens a v2 pair mints to its factory's `feeTo`, where that is set, before any mint or burn: a sixth of the growth of
 * sqrt(k) since `kLast`. 0 while `kLast` is 0. Source: v2 whitepaper 2.4 eq. 6; UniswapV2Pair `_mintFee`.
 * @throws LpMathError `AMOUNT_NEGATIVE`.
 */
export function v2ProtocolFeeLiquidity(reserve0: bigint, reserve1: bigint, kLast: bigint, totalSupply: bigint): bigint {
  for (const amount of [reserve0, reserve1, kLast, totalSupply]) requireAmount(amount)
  const root = integerSqrt(reserve0 * reserve1)
  const rootLast = integerSqrt(kLast)
  return kLast === 0n || root <= rootLast ? 0n : (totalSupply * (root - rootLast)) / (root * 5n + rootLast)
}
