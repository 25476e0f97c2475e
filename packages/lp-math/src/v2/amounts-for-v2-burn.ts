import type { Amounts } from '../liquidity/get-amounts-for-liquidity.ts'
import { LpMathError } from '../lp-math-error.ts'
import { requireAmount } from '../sqrt-price/require-arguments.ts'

/**
 * What a v2 pair pays (smallest units) for its own tokens: their share of what it holds, rounded down.
 * `balance0` and `balance1` are the pair's token balances (its reserves, unless tokens were sent to it since). Where the protocol
 * fee is on, `totalSupply` must include `v2ProtocolFeeLiquidity`. Source: UniswapV2Pair `burn`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `LIQUIDITY_OUT_OF_RANGE` for more than there is, or where the pair would refuse so small a burn.
 */
export function amountsForV2Burn(liquidity: bigint, balance0: bigint, balance1: bigint, totalSupply: bigint): Amounts {
  requireAmount(liquidity)
  requireAmount(balance0)
  requireAmount(balance1)
  if (totalSupply <= 0n || liquidity > totalSupply) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'A burn takes at most the total supply.')
  }
  const amount0 = (liquidity * balance0) / totalSupply
  const amount1 = (liquidity * balance1) / totalSupply
  if (amount0 === 0n || amount1 === 0n) {
    throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'The liquidity is too small to pay out both tokens.')
  }
  return { amount0, amount1 }
}
