import { type Address, encodeFunctionData, getAddress, type Hex, isAddressEqual, parseAbi, parseEventLogs } from 'viem'
import type { Chain } from '@svc/wallet/core'
import type { Settled } from '../../intent.ts'
import type { LiquidityPlan, Pool, Quote, SwapOutcome, Token, SwapRequest, PlanPorts } from '../../ports.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { followRoute, routeEnds, swapIntent } from '../planning/swap-intent.ts'
import { type SwapLimits, swapLimits } from '../planning/slippage-limits.ts'
import { logsOf, requireEvent } from '../planning/plan-payment.ts'
import { v3Path } from '../quotes/route-query.ts'
import { requireDeployment } from '../planning/refusals.ts'

/**
 * Plans a swap through v3 pools by SwapRouter02. The deadline stands in its `multicall`, because the swap itself takes
 * none. Native currency goes in as value; out it is unwrapped by the router in the same transaction.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planSwapV3(
  ports: Pick<PlanPorts, 'tokens'>,
  chain: Chain,
  quote: Quote,
  request: SwapRequest,
): LiquidityPlan<SwapOutcome, SwapOutcome> {
  const router = requireDeployment(chain, 'v3').swapRouter02
  const path = followRoute(quote.route, request.tokenIn.isNative ? ports.tokens.wrapped(chain) : request.tokenIn)
  const limits = swapLimits(quote, request)
  const { least } = limits
  const recipient = request.tokenOut.isNative ? routerAlias : request.recipient
  const steps = [
    encodeSwap(quote, path, limits, recipient),
    ...(request.tokenOut.isNative ? [encodeUnwrap(least, request.recipient)] : []),
    ...(quote.isExactOut === true && request.tokenIn.isNative ? [encodeRefund()] : []),
  ]
  const data = encodeFunctionData({
    abi: v3SwapRouter02Abi,
    functionName: 'multicall',
    args: [BigInt(request.deadline), steps],
  })
  return {
    intent: swapIntent(chain, quote, request, { router, data, ...limits, via: 'erc20', atomicity: 'multicall' }),
    preview: { amountIn: quote.amountIn, amountOut: quote.amountOut },
    decode: async (settled) => decodeSwap(settled, quote, path, router),
  }
}

/** `ADDRESS_THIS`, as SwapRouter02 and the universal router know it: the router itself. */
export const routerAlias = '0x0000000000000000000000000000000000000002'

function encodeSwap(
  quote: Quote,
  path: readonly [Token, ...Token[]],
  { least, most }: SwapLimits,
  recipient: Address,
): Hex {
  const [tokenIn, tokenOut, ...more] = path
  const [first] = quote.route
  const abi = v3SwapRouter02Abi
  const addresses = path.map(({ address }) => address)
  const packed = (side: 'in' | 'out') => v3Path(addresses, quote.route, side)
  const single =
    first && tokenOut && more.length === 0
      ? { tokenIn: tokenIn.address, tokenOut: tokenOut.address, fee: first.pool.fee, sqrtPriceLimitX96: 0n }
      : null
  if (quote.isExactOut === true) {
    const amounts = { recipient, amountOut: least, amountInMaximum: most }
    return single === null
      ? encodeFunctionData({ abi, functionName: 'exactOutput', args: [{ path: packed('out'), ...amounts }] })
      : encodeFunctionData({ abi, functionName: 'exactOutputSingle', args: [{ ...single, ...amounts }] })
  }
  const amounts = { recipient, amountIn: quote.amountIn, amountOutMinimum: least }
  return single === null
    ? encodeFunctionData({ abi, functionName: 'exactInput', args: [{ path: packed('in'), ...amounts }] })
    : encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [{ ...single, ...amounts }] })
}

function encodeUnwrap(least: bigint, recipient: Address): Hex {
  return encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'unwrapWETH9', args: [least, recipient] })
}

/** What is left of the value goes back to the caller. */
function encodeRefund(): Hex {
  return encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'refundETH' })
}

function decodeSwap(settled: Settled, quote: Quote, path: readonly [Token, ...Token[]], router: Address): SwapOutcome {
  const { tokenIn, tokenOut, first, last } = routeEnds(quote, path)
  return {
    amountIn: movedAt(settled, first, tokenIn, router),
    amountOut: -movedAt(settled, last, tokenOut, router),
  }
}

/** What the pool gained of a token by the router's swap; negative where it paid. */
function movedAt(settled: Settled, pool: Pool, token: Token, router: Address): bigint {
  const events = parseEventLogs({ abi: v3PoolAbi, eventName: 'Swap', logs: logsOf(settled, getAddress(pool.id)) })
  const { args } = requireEvent(
    events.filter(({ args }) => isAddressEqual(args.sender, router)),
    'Swap',
  )
  return isAddressEqual(pool.token0.address, token.address) ? args.amount0 : args.amount1
}

/** SwapRouter02: its `exactInput` structs carry no deadline; `multicall(uint256,bytes[])` holds it. */
export const v3SwapRouter02Abi = parseAbi([
  'struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)',
  'function exactInput(ExactInputParams params) payable returns (uint256 amountOut)',
  'struct ExactOutputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
  'struct ExactOutputParams { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactOutputSingle(ExactOutputSingleParams params) payable returns (uint256 amountIn)',
  'function exactOutput(ExactOutputParams params) payable returns (uint256 amountIn)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function refundETH() payable',
])
