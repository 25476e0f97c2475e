import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  maxUint128,
  parseAbi,
  parseAbiParameters,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import type { AmmDeployment, Chain } from '@svc/wallet/core'
import type { Settled } from '../../intent.ts'
import type { LiquidityPlan, Pool, Quote, SwapOutcome, Token, SwapRequest } from '../../ports.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { followRoute, routeEnds, swapIntent } from '../planning/swap-intent.ts'
import { type SwapLimits, swapLimits } from '../planning/slippage-limits.ts'
import { logsOf, requireEvent } from '../planning/plan-payment.ts'
import { refuseField, requireDeployment } from '../planning/refusals.ts'
import { v4Path } from '../quotes/route-query.ts'
import { type ActionStep, callerAlias, encodeActions, v4Action } from './v4-action.ts'
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
  const limits = swapLimits(quote, request)
  const { tokenIn, tokenOut, recipient } = request
  const isExactOut = quote.isExactOut === true
  const steps = [
    swapAction(version, quote, path, limits),
    v4Action.settleAll(tokenIn.address, limits.most),
    // The amount itself makes sure of an exact output: a pool that runs empty gives less without a word.
    isExactOut
      ? v4Action.takeTo(tokenOut.address, recipient, limits.least)
      : v4Action.takeAllTo(tokenOut.address, recipient),
  ]
  const isRefunded = isExactOut && tokenIn.isNative
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [
      isRefunded ? concat([v4SwapCommand, sweepCommand]) : v4SwapCommand,
      [encodeActions(steps), ...(isRefunded ? [encodeRefund()] : [])],
      BigInt(request.deadline),
    ],
  })
  return {
    intent: swapIntent(chain, quote, request, { router, data, ...limits, via: 'permit2', atomicity: 'single' }),
    preview: { amountIn: quote.amountIn, amountOut: quote.amountOut },
    decode: async (settled) => decodeSwap(settled, quote, path, { poolManager, router }),
  }
}

/** What is left of the value goes back to the caller. */
function encodeRefund(): Hex {
  return encodeAbiParameters(parseAbiParameters('address, address, uint256'), [zeroAddress, callerAlias, 0n])
}

/**
 * The action that swaps along a route: single for one pool, by path for more. Universal router 2.1.0 added
 * bounds per hop to the path form, 2.1.1 to the single form too. They are left open here, because the minimum of the whole
 * swap binds; but a router reads another form than its own as garbage.
 *
 * @throws ToolError `VALIDATION_FAILED` for an amount that does not fit the calldata.
 */
export function swapAction(
  version: NonNullable<AmmDeployment['universalRouter']>['version'],
  quote: Pick<Quote, 'amountIn' | 'route' | 'isExactOut'>,
  path: readonly [Token, ...Token[]],
  { least, most }: SwapLimits,
): ActionStep {
  if (most > maxUint128 || least > maxUint128) {
    throw refuseField('amount', 'The amount is larger than v4 can swap.', 'an amount below 2^128 smallest units')
  }
  const [first, ...more] = quote.route
  if (!first) throw new TypeError('a route has at least one pool')
  const [tokenIn] = path
  const isExactOut = quote.isExactOut === true
  const inAmounts = { amountIn: quote.amountIn, amountOutMinimum: least }
  const outAmounts = { amountOut: least, amountInMaximum: most }
  if (more.length === 0) {
    const zeroForOne = isAddressEqual(first.pool.token0.address, tokenIn.address)
    const single = {
      poolKey: poolKeyOf(first.pool),
      zeroForOne,
      minHopPriceX36: 0n,
      hookData: '0x',
    } as const
    const has = version === '2.1.1' ? 'withHopPrice' : 'plain'
    return isExactOut
      ? { action: 0x08, data: encodeAbiParameters(singleOut[has], [{ ...single, ...outAmounts }]) }
      : { action: 0x06, data: encodeAbiParameters(singleIn[has], [{ ...single, ...inAmounts }]) }
  }
  const has = version === '2.0' ? 'plain' : 'withHopPrice'
  const hops = v4Path(quote.route, isExactOut ? 'out' : 'in')
  const byPath = { path: hops, minHopPriceX36: [] }
  if (!isExactOut) {
    const data = encodeAbiParameters(pathIn[has], [{ currencyIn: tokenIn.address, ...byPath, ...inAmounts }])
    return { action: 0x07, data }
  }
  const currencyOut = path.at(-1)?.address ?? tokenIn.address
  return { action: 0x09, data: encodeAbiParameters(pathOut[has], [{ currencyOut, ...byPath, ...outAmounts }]) }
}

export const v4SwapCommand = '0x10'
const sweepCommand = '0x04'

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
export function receivedAt(
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

const singleIn = {
  plain: parseAbiParameters([
    'Single single',
    'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
    poolKey,
  ]),
  withHopPrice: parseAbiParameters([
    'Single single',
    'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; uint256 minHopPriceX36; bytes hookData; }',
    poolKey,
  ]),
}
const singleOut = {
  plain: parseAbiParameters([
    'Single single',
    'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountOut; uint128 amountInMaximum; bytes hookData; }',
    poolKey,
  ]),
  withHopPrice: parseAbiParameters([
    'Single single',
    'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountOut; uint128 amountInMaximum; uint256 minHopPriceX36; bytes hookData; }',
    poolKey,
  ]),
}
const pathIn = {
  plain: parseAbiParameters([
    'ByPath byPath',
    'struct ByPath { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
    pathKey,
  ]),
  withHopPrice: parseAbiParameters([
    'ByPath byPath',
    'struct ByPath { address currencyIn; PathKey[] path; uint256[] minHopPriceX36; uint128 amountIn; uint128 amountOutMinimum; }',
    pathKey,
  ]),
}
const pathOut = {
  plain: parseAbiParameters([
    'ByPath byPath',
    'struct ByPath { address currencyOut; PathKey[] path; uint128 amountOut; uint128 amountInMaximum; }',
    pathKey,
  ]),
  withHopPrice: parseAbiParameters([
    'ByPath byPath',
    'struct ByPath { address currencyOut; PathKey[] path; uint256[] minHopPriceX36; uint128 amountOut; uint128 amountInMaximum; }',
    pathKey,
  ]),
}
