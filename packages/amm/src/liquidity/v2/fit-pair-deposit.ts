import { type Amounts, LpMathError, liquidityForV2Mint, quoteLiquidity } from '@svc/lp-math'
import { refuseTooSmall } from '../planning/refuse-too-small.ts'

/**
 * What Router02 takes of two desired amounts at the pair's reserves (smallest units, both in the order the router is
 * called in), and the pair tokens that come of it. A missing amount follows from the other; of two given amounts one is
 * used up. An empty pair takes both as they are. Called with the result as desired amounts, the router takes just these.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when nothing would be minted.
 */
export function fitPairDeposit(
  desired: { readonly amount0: bigint | null; readonly amount1: bigint | null },
  pair: { readonly reserve0: bigint; readonly reserve1: bigint; readonly totalSupply: bigint },
): Amounts & { liquidity: bigint } {
  const { reserve0, reserve1, totalSupply } = pair
  const amount0 = desired.amount0 ?? quoteLiquidity(desired.amount1 ?? 0n, reserve1, reserve0)
  const amount1 = desired.amount1 ?? quoteLiquidity(amount0, reserve0, reserve1)
  const taken = reserve0 === 0n ? { amount0, amount1 } : takes(takes({ amount0, amount1 }, pair), pair)
  if (taken.amount0 === 0n || taken.amount1 === 0n) {
    throw refuseTooSmall('amount0', 'At the ratio of the pair this is less than one unit of a token.')
  }
  try {
    return { ...taken, liquidity: liquidityForV2Mint(taken.amount0, taken.amount1, reserve0, reserve1, totalSupply) }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseTooSmall('amount0', 'These amounts are too small to mint anything.')
  }
}

/** `_addLiquidity` of Router02: rounding makes it settle only when it is fed its own result. */
function takes(desired: Amounts, pair: { readonly reserve0: bigint; readonly reserve1: bigint }): Amounts {
  const { amount0, amount1 } = desired
  const matching1 = quoteLiquidity(amount0, pair.reserve0, pair.reserve1)
  if (matching1 <= amount1) return { amount0, amount1: matching1 }
  return { amount0: quoteLiquidity(amount1, pair.reserve1, pair.reserve0), amount1 }
}
