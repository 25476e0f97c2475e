import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  maxUint128,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
} from 'viem'
import type { AmmDeployment, Chain } from '@svc/wallet/core'
import type { Settled } from '../../intent.ts'
import type { LiquidityPlan, Pool, Quote, SwapOutcome, Token, SwapRequest } from '../../ports.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { followRoute, routeEnds, swapIntent } from '../planning/swap-intent.ts'
import { leastOut } from '../planning/slippage-limits.ts'
import { logsOf, requireEvent } from '../planning/transfers-of.ts'
import { refuseField, requireDeployment } from '../planning/refusals.ts'
import { type ActionStep, encodeActions, v4Action } from './v4-action.ts'
import { poolKeyOf, refuseDeltaHooks } from './pool-key.ts'

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

/**
 * The action that swaps an exact input along a route: single for one pool, by path for more. Universal router 2.1.0 added
 * bounds per hop to the path form, 2.1.1 to the single form too. They are left open here, because the minimum of the whole
 * swap binds; but a router reads another form than its own as garbage.
 *
 * @throws ToolError `VALIDATION_FAILED` for an amount that does not fit the calldata.
 */
export function swapAction(
  version: NonNullable<AmmDeployment['universalRouter']>['version'],
  quote: Quote,
  path: readonly [Token, ...Token[]],
  least: bigint,
): ActionStep {
  if (quote.amountIn > maxUint128) {
    throw refuseField('amount', 'The amount is larger than v4 can swap.', 'an amount below 2^128 smallest units')
  }
  const [first, ...more] = quote.route
  if (!first) throw new TypeError('a route has at least one pool')
  const [tokenIn, ...passed] = path
  const amounts = { amountIn: quote.amountIn, amountOutMinimum: least }
  if (more.length === 0) {
    const zeroForOne = isAddressEqual(first.pool.token0.address, tokenIn.address)
    const single = {
      poolKey: poolKeyOf(first.pool),
      zeroForOne,
      ...amounts,
      minHopPriceX36: 0n,
      hookData: '0x',
    } as const
    const data =
      version === '2.1.1'
        ? encodeAbiParameters(singleWithHopPrice, [single])
        : encodeAbiParameters(singleParameters, [single])
    return { action: 0x06, data }
  }
  const hops = quote.route.map(({ pool }, index) => {
    const { fee, tickSpacing, hooks } = poolKeyOf(pool)
    const intermediateCurrency = passed[index]?.address ?? tokenIn.address
    return { intermediateCurrency, fee, tickSpacing, hooks, hookData: '0x' } as const
  })
  const byPath = { currencyIn: tokenIn.address, path: hops, ...amounts, minHopPriceX36: [] }
  const data =
    version !== '2.0' ? encodeAbiParameters(pathWithHopPrices, [byPath]) : encodeAbiParameters(pathParameters, [byPath])
  return { action: 0x07, data }
}

const v4SwapCommand = '0x10'

function decodeSwap(
  settled: Settled,
  quote: Quote,
  path: readonly [Token, ...Token[]],
  contracts: { readonly poolManager: Address; readonly router: Address },
): SwapOutcome {
  const { tokenIn, tokenOut, first, last } = routeEnds(quote, path)
  return {
    amountIn: -receivedAt(settled, first, tokenIn, contracts),
    amountOut: receivedAt(settled, last, tokenOut, contracts),
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

const poolKey = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'

const singleParameters = parseAbiParameters([
  'Single single',
  'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
  poolKey,
])
const singleWithHopPrice = parseAbiParameters([
  'Single single',
  'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; uint256 minHopPriceX36; bytes hookData; }',
  poolKey,
])
const pathParameters = parseAbiParameters([
  'ByPath byPath',
  'struct ByPath { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
  pathKey,
])
const pathWithHopPrices = parseAbiParameters([
  'ByPath byPath',
  'struct ByPath { address currencyIn; PathKey[] path; uint256[] minHopPriceX36; uint128 amountIn; uint128 amountOutMinimum; }',
  pathKey,
])
