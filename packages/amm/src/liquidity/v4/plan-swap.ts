import { type Address, encodeFunctionData, isAddressEqual, parseAbi, parseEventLogs } from 'viem'
import type { Chain } from '@svc/wallet/core'
import type { Settled } from '../../intent.ts'
import type { LiquidityPlan, Pool, Quote, SwapOutcome, Token } from '../../ports.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { followRoute, swapIntent, type SwapRequest } from '../planning/swap-intent.ts'
import { leastOut } from '../planning/slippage-limits.ts'
import { logsOf, requireEvent } from '../planning/transfers-of.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { encodeActions, v4Action } from './v4-action.ts'
import { refuseDeltaHooks } from './refuse-delta-hooks.ts'
import { swapAction } from './swap-action.ts'

/**
 * Plans a swap through v4 pools by the universal router, paid through Permit2. Native currency is a currency of its own
 * in v4: it goes in as value and comes out as such.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `HOOK_NOT_SUPPORTED`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planSwapV4(chain: Chain, quote: Quote, request: SwapRequest): LiquidityPlan<SwapOutcome, SwapOutcome> {
  const { poolManager } = requireDeployment(chain, 'v4')
  const { address: router, version } = requireDeployment(chain, 'universalRouter')
  for (const { pool } of quote.route) refuseDeltaHooks(pool.hooks, 'tokenOut')
  const path = followRoute(quote.route, request.tokenIn)
  const least = leastOut(quote, request)
  const steps = [
    swapAction(version, quote, path, least),
    v4Action.settleAll(request.tokenIn.address, quote.amountIn),
    v4Action.takeAllTo(request.tokenOut.address, request.recipient),
  ]
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [v4SwapCommand, [encodeActions(steps)], BigInt(request.deadline)],
  })
  return {
    intent: swapIntent(chain, quote, request, { router, data, least, via: 'permit2', atomicity: 'single' }),
    preview: { amountIn: quote.amountIn, amountOut: quote.amountOut },
    decode: async (settled) => decodeSwap(settled, quote, path, { poolManager, router }),
  }
}

const v4SwapCommand = '0x10'

function decodeSwap(
  settled: Settled,
  quote: Quote,
  path: readonly [Token, ...Token[]],
  contracts: { readonly poolManager: Address; readonly router: Address },
): SwapOutcome {
  const [tokenIn] = path
  const tokenOut = path.at(-1) ?? tokenIn
  const first = quote.route[0]
  const last = quote.route.at(-1)
  if (!first || !last) throw new TypeError('a route has at least one pool')
  return {
    amountIn: -receivedAt(settled, first.pool, tokenIn, contracts),
    amountOut: receivedAt(settled, last.pool, tokenOut, contracts),
  }
}

/** What the router's swap in a pool gave of a token; negative where it paid. */
function receivedAt(
  settled: Settled,
  pool: Pool,
  token: Token,
  { poolManager, router }: { readonly poolManager: Address; readonly router: Address },
): bigint {
  const events = parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'Swap', logs: logsOf(settled, poolManager) })
  const { args } = requireEvent(
    events.filter(({ args }) => args.id === pool.id && isAddressEqual(args.sender, router)),
    'Swap',
  )
  return isAddressEqual(pool.token0.address, token.address) ? args.amount0 : args.amount1
}

export const universalRouterAbi = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
])
