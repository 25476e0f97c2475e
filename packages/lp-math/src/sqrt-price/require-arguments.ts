import { MAX_UINT128 } from '../integers/integers.ts'
import { LpMathError } from '../lp-math-error.ts'

/** Refuses a liquidity that does not fit uint128. */
export function requireLiquidity(liquidity: bigint): void {
  if (liquidity < 0n || liquidity > MAX_UINT128) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'Liquidity is at least 0 and fits 128 bits.')
  }
}

/** Refuses a negative amount. */
export function requireAmount(amount: bigint): void {
  if (amount < 0n) throw new LpMathError('AMOUNT_NEGATIVE', 'An amount is at least 0.')
}

/** Refuses a sqrt price of 0 or less. */
export function requireSqrtPrice(sqrtPriceX96: bigint): void {
  if (sqrtPriceX96 <= 0n) throw new LpMathError('SQRT_PRICE_OUT_OF_RANGE', 'A sqrt price is greater than 0.')
}
