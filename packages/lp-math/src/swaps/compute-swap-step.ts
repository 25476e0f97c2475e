import { divRoundingUp } from '../integers/integers.ts'
import { requirePoolFeePips } from '../lp-math-error.ts'
import {
  getAmount0Delta,
  getAmount1Delta,
  getNextSqrtPriceFromInput,
  getNextSqrtPriceFromOutput,
  requireAmount,
} from '../sqrt-price/sqrt-price.ts'

/**
 * One swap step within a segment of constant liquidity, towards a target price that gives the direction.
 * To the unit v3's step, or with `version` v4's, which differs only in how it splits the last step's input between `amountIn` and
 * `feeAmount` (by the rounding of the price); their sum, `amountOut` and the price are the same. Source: v3 whitepaper 6.2.3;
 * SwapMath of v3-core and v4-core.
 * @throws LpMathError `FEE_OUT_OF_RANGE`, `AMOUNT_NEGATIVE`, `LIQUIDITY_OUT_OF_RANGE`, `SQRT_PRICE_OUT_OF_RANGE`.
 */
export function computeSwapStep(options: SwapStepOptions): SwapStep {
  const { sqrtPriceX96, sqrtPriceTargetX96, liquidity, amountRemaining, exactIn, version = 'v3' } = options
  requireAmount(amountRemaining)
  requirePoolFeePips(options.feePips)
  const fee = BigInt(options.feePips)
  const zeroForOne = sqrtPriceX96 >= sqrtPriceTargetX96
  const inputDelta = zeroForOne ? getAmount0Delta : getAmount1Delta
  const outputDelta = zeroForOne ? getAmount1Delta : getAmount0Delta

  if (exactIn) {
    const lessFee = (amountRemaining * (ONE_MILLION - fee)) / ONE_MILLION
    const inputToTarget = inputDelta(sqrtPriceX96, sqrtPriceTargetX96, liquidity, true)
    const reached = lessFee >= inputToTarget
    const sqrtPriceNextX96 = reached
      ? sqrtPriceTargetX96
      : getNextSqrtPriceFromInput(sqrtPriceX96, liquidity, lessFee, zeroForOne)
    const last = () => (version === 'v4' ? lessFee : inputDelta(sqrtPriceX96, sqrtPriceNextX96, liquidity, true))
    const amountIn = reached ? inputToTarget : last()
    const amountOut = outputDelta(sqrtPriceX96, sqrtPriceNextX96, liquidity, false)
    // What a last step does not use is fee as well: the input is taken whole.
    const feeAmount = reached ? feeOn(amountIn, fee) : amountRemaining - amountIn
    return { sqrtPriceNextX96, amountIn, amountOut, feeAmount }
  }
  const outputToTarget = outputDelta(sqrtPriceX96, sqrtPriceTargetX96, liquidity, false)
  const reached = amountRemaining >= outputToTarget
  const sqrtPriceNextX96 = reached
    ? sqrtPriceTargetX96
    : getNextSqrtPriceFromOutput(sqrtPriceX96, liquidity, amountRemaining, zeroForOne)
  const amountIn = inputDelta(sqrtPriceX96, sqrtPriceNextX96, liquidity, true)
  return {
    sqrtPriceNextX96,
    amountIn,
    amountOut: reached ? outputToTarget : amountRemaining,
    feeAmount: feeOn(amountIn, fee),
  }
}

/** Prices Q64.96, amounts in smallest units, `feePips` in millionths of the input; `amountRemaining` is of the input if `exactIn`. */
export type SwapStepOptions = {
  sqrtPriceX96: bigint
  sqrtPriceTargetX96: bigint
  liquidity: bigint
  amountRemaining: bigint
  exactIn: boolean
  feePips: number
  /** `v3` by default. */
  version?: 'v3' | 'v4'
}

/** `amountIn` is without the fee; the trader pays `amountIn + feeAmount`. */
export type SwapStep = { sqrtPriceNextX96: bigint; amountIn: bigint; amountOut: bigint; feeAmount: bigint }

const ONE_MILLION = 1_000_000n

function feeOn(amountIn: bigint, fee: bigint): bigint {
  return divRoundingUp(amountIn * fee, ONE_MILLION - fee)
}
