import { integerSqrt } from '../integers/integer-sqrt.ts'
import { LpMathError } from '../lp-math-error.ts'
import { requireAmount } from '../sqrt-price/require-arguments.ts'
import { requireReserves } from './require-reserves.ts'

/**
 * Pair tokens a v2 mint gives for two amounts (smallest units) at the reserves before it; the first mint leaves 1000 units locked for ever.
 * Where the protocol fee is on, `totalSupply` must include `v2ProtocolFeeLiquidity`, which the pair mints first.
 * Source: v2 whitepaper 3.4 eq. 9 and 10; UniswapV2Pair `mint`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT`, `LIQUIDITY_OUT_OF_RANGE` where the pair would refuse so small a mint.
 */
export function liquidityForV2Mint(
  amount0: bigint,
  amount1: bigint,
  reserve0: bigint,
  reserve1: bigint,
  totalSupply: bigint,
): bigint {
  requireAmount(amount0)
  requireAmount(amount1)
  const liquidity =
    totalSupply === 0n
      ? integerSqrt(amount0 * amount1) - MINIMUM_LIQUIDITY
      : laterMint(amount0, amount1, reserve0, reserve1, totalSupply)
  if (liquidity <= 0n) throw new LpMathError('LIQUIDITY_OUT_OF_RANGE', 'The amounts are too small to mint anything.')
  return liquidity
}

const MINIMUM_LIQUIDITY = 1000n

function laterMint(amount0: bigint, amount1: bigint, reserve0: bigint, reserve1: bigint, totalSupply: bigint): bigint {
  requireReserves(reserve0, reserve1)
  const liquidity0 = (amount0 * totalSupply) / reserve0
  const liquidity1 = (amount1 * totalSupply) / reserve1
  return liquidity0 < liquidity1 ? liquidity0 : liquidity1
}
