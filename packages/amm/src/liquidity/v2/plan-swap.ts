import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, getAddress, type Address, type Hex } from 'viem'
import type { Settled } from '../../intent.ts'
import type { LiquidityPlan, Quote, SwapOutcome, Token, SwapRequest, PlanPorts } from '../../ports.ts'
import { v2RouterAbi } from '../../abis/v2.ts'
import { followRoute, swapIntent } from '../planning/swap-intent.ts'
import { type SwapLimits, swapLimits } from '../planning/slippage-limits.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { transfersOf } from '../planning/plan-payment.ts'

/**
 * Plans a swap through v2 pairs. It goes through Router02 rather than SwapRouter02, because on several chains the latter
 * was deployed before v2 and knows the pairs of another factory. The entry points that measure what arrives are used
 * for every token, so that one with a fee on transfer is held to the same minimum. For an exact output there are none: of a token that
 * keeps a part of each transfer no router brings it.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planSwapV2(
  ports: Pick<PlanPorts, 'tokens'>,
  chain: Chain,
  quote: Quote,
  request: SwapRequest,
): LiquidityPlan<SwapOutcome, SwapOutcome> {
  const { router } = requireDeployment(chain, 'v2')
  const wrapped = ports.tokens.wrapped(chain)
  const path = followRoute(quote.route, request.tokenIn.isNative ? wrapped : request.tokenIn)
  const limits = swapLimits(quote, request)
  const data = encodeSwap(
    quote,
    request,
    limits,
    path.map(({ address }) => address),
  )
  return {
    intent: swapIntent(chain, quote, request, { router, data, ...limits, via: 'erc20', atomicity: 'single' }),
    preview: { amountIn: quote.amountIn, amountOut: quote.amountOut },
    decode: async (settled) => decodeSwap(settled, quote, path, request.tokenOut.isNative ? router : request.recipient),
  }
}

function encodeSwap(quote: Quote, request: SwapRequest, { least, most }: SwapLimits, path: readonly Address[]): Hex {
  const { tokenIn, tokenOut, recipient } = request
  const deadline = BigInt(request.deadline)
  const abi = v2RouterAbi
  if (quote.isExactOut === true) {
    if (tokenIn.isNative) {
      // What is not needed of the value comes back by itself.
      return encodeFunctionData({
        abi,
        functionName: 'swapETHForExactTokens',
        args: [least, path, recipient, deadline],
      })
    }
    const functionName = tokenOut.isNative ? 'swapTokensForExactETH' : 'swapTokensForExactTokens'
    return encodeFunctionData({ abi, functionName, args: [least, most, path, recipient, deadline] })
  }
  if (tokenIn.isNative) {
    const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens'
    return encodeFunctionData({ abi, functionName, args: [least, path, recipient, deadline] })
  }
  const functionName = tokenOut.isNative
    ? 'swapExactTokensForETHSupportingFeeOnTransferTokens'
    : 'swapExactTokensForTokensSupportingFeeOnTransferTokens'
  return encodeFunctionData({ abi, functionName, args: [quote.amountIn, least, path, recipient, deadline] })
}

/** What left the payer of the first pair, and what the last pair sent on (of native currency: to the router, which unwraps it). */
function decodeSwap(
  settled: Settled,
  quote: Quote,
  path: readonly [Token, ...Token[]],
  receiver: Address,
): SwapOutcome {
  const [tokenIn] = path
  const tokenOut = path.at(-1) ?? tokenIn
  const firstPair = quote.route[0]?.pool.id ?? '0x'
  const lastPair = quote.route.at(-1)?.pool.id ?? '0x'
  const paid = transfersOf(settled, tokenIn.address)
  const payer = paid.payerOf(getAddress(firstPair))
  return {
    amountIn: payer === null ? 0n : paid.outOf(payer),
    amountOut: transfersOf(settled, tokenOut.address).between(getAddress(lastPair), receiver),
  }
}
