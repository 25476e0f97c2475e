import { requireAmount } from '../sqrt-price/sqrt-price.ts'
import { LpMathError } from '../lp-math-error.ts'
import { integerSqrt } from '../integers/integers.ts'
import type { Amounts } from '../liquidity/liquidity.ts'

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

/**
 * What a v2 pair gives for an input (smallest units) at its reserves, after its fee of 0.3 %.
 * Source: v2 whitepaper 3.2.1; UniswapV2Library `getAmountOut`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT` for an empty pair.
 */
export function getAmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  requireAmount(amountIn)
  requireReserves(reserveIn, reserveOut)
  const amountInLessFee = amountIn * 997n
  return (amountInLessFee * reserveOut) / (reserveIn * 1000n + amountInLessFee)
}

/** Refuses reserves of which one is 0 or less: such a pair has no price. */
function requireReserves(reserveA: bigint, reserveB: bigint): void {
  if (reserveA <= 0n || reserveB <= 0n) {
    throw new LpMathError('RESERVES_INSUFFICIENT', 'Both reserves of the pair are greater than 0.')
  }
}

/**
 * What a v2 pair asks (smallest units, its fee of 0.3 % included) for an output at its reserves; 0 for an output of 0.
 * Source: v2 whitepaper 3.2.1; UniswapV2Library `getAmountIn`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT` for an empty pair or an output it does not hold.
 */
export function getAmountIn(amountOut: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  requireAmount(amountOut)
  requireReserves(reserveIn, reserveOut)
  if (amountOut >= reserveOut) {
    throw new LpMathError('RESERVES_INSUFFICIENT', 'The pair holds less than the amount asked for.')
  }
  if (amountOut === 0n) return 0n
  return (reserveIn * amountOut * 1000n) / ((reserveOut - amountOut) * 997n) + 1n
}

/**
 * The amount of token1 (smallest units) that goes with `amount0` when liquidity is added to a v2 pair at its reserves.
 * Called with the tokens exchanged it gives the amount of token0. Source: UniswapV2Library `quote`.
 * @throws LpMathError `AMOUNT_NEGATIVE`, `RESERVES_INSUFFICIENT` for an empty pair.
 */
export function quoteLiquidity(amount0: bigint, reserve0: bigint, reserve1: bigint): bigint {
  requireAmount(amount0)
  requireReserves(reserve0, reserve1)
  return (amount0 * reserve1) / reserve0
}
