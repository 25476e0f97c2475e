import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  parseUnits,
  zeroAddress,
} from 'viem'
import { universalRouterAbi, v3PositionManagerAbi, v3SwapRouter02Abi } from '@svc/amm/abis'
import { swapAction } from '../../../amm/src/liquidity/v4/plan-swap.ts'
import { encodeActions, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import type { Intent, Quote, UpstreamTransaction } from '@svc/amm'
import { knownContracts } from '../calldata/known-contracts.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { laterDeadline } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import type { UpstreamExpectation } from './guard-upstream.ts'

export const stranger: Address = '0x00000000000000000000000000000000000bad00'
export const amountIn = parseUnits('100', 6)
/** Far below what a hundred dollars buy on the local chain, and far above nothing. */
export const leastOut = parseUnits('0.033', 18)

/** Of every request and of what answers it. */
export const askedDeadline = laterDeadline(0.08)

/** What a test asked the service for: a swap of 100 USDC, unless it says otherwise. */
export function asked(pipeline: Pipeline, change: Partial<UpstreamExpectation> = {}): UpstreamExpectation {
  return {
    chain: pipeline.chain,
    known: knownContracts(pipeline.chain, parsePolicy(devnetPolicy(), { production: false })),
    wallet: pipeline.wallet,
    kind: 'swap',
    spends: [{ token: pipeline.token('USDC'), amount: amountIn }],
    receives: [{ token: pipeline.token('WETH'), amount: leastOut }],
    position: null,
    pool: null,
    latestDeadline: Number(askedDeadline),
    slippageBps: 50,
    riskTier: 'routine',
    label: 'swap',
    why: 'swap through the trading service',
    ...change,
  }
}

/** An intent of our own planners as it would come over the wire. */
export function wired(pipeline: Pipeline, intent: Intent): UpstreamTransaction {
  const [call] = intent.calls
  return sent(pipeline, call!.to, call!.data, call!.valueWei)
}

export function sent(pipeline: Pipeline, to: Address, data: Hex, value = 0n): UpstreamTransaction {
  return { to, data, value: `${value}`, chainId: pipeline.chain.id, from: pipeline.wallet }
}

/** SwapRouter02: one v3 swap inside `multicall(deadline, ...)`, and what a test puts behind it. */
export function routerMulticall(
  pipeline: Pipeline,
  change: Partial<V3Swap> = {},
  more: readonly Hex[] = [],
): UpstreamTransaction {
  const swap = encodeFunctionData({
    abi: v3SwapRouter02Abi,
    functionName: 'exactInputSingle',
    args: [
      {
        tokenIn: pipeline.token('USDC'),
        tokenOut: pipeline.token('WETH'),
        fee: 500,
        recipient: pipeline.wallet,
        amountIn,
        amountOutMinimum: leastOut,
        sqrtPriceLimitX96: 0n,
        ...change,
      },
    ],
  })
  const args = [change.deadline ?? askedDeadline, [swap, ...more]] as const
  const data = encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'multicall', args })
  return sent(pipeline, pipeline.chain.amm.v3!.swapRouter02, data)
}

type V3Swap = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly recipient: Address
  readonly amountIn: bigint
  readonly amountOutMinimum: bigint
  readonly deadline: bigint
}

/** The universal router: commands with their inputs. */
export function routed(
  pipeline: Pipeline,
  steps: readonly (readonly [command: number, input: Hex])[],
  value = 0n,
  deadline = askedDeadline,
): UpstreamTransaction {
  const commands = concatHex(steps.map(([command]): Hex => `0x${command.toString(16).padStart(2, '0')}`))
  const args = [commands, steps.map(([, input]) => input), deadline] as const
  const data = encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args })
  return sent(pipeline, pipeline.chain.amm.universalRouter!.address, data, value)
}

export function v3In(pipeline: Pipeline, recipient: Address, least = leastOut): readonly [number, Hex] {
  const path = concatHex([pipeline.token('USDC'), '0x0001f4', pipeline.token('WETH')])
  const parameters = parseAbiParameters('address, uint256, uint256, bytes, bool')
  return [0x00, encodeAbiParameters(parameters, [recipient, amountIn, least, path, true])]
}

/** For just {@link leastOut}, of a pool of v3. */
export function v3Out(
  pipeline: Pipeline,
  {
    recipient = pipeline.wallet,
    most = amountIn,
    amountOut = leastOut,
    isBack = true,
    payerIsUser = true,
  }: V3Output = {},
): readonly [number, Hex] {
  const ends = [pipeline.token('WETH'), pipeline.token('USDC')] as const
  const path = concatHex(isBack ? [ends[0], '0x0001f4', ends[1]] : [ends[1], '0x0001f4', ends[0]])
  const parameters = parseAbiParameters('address, uint256, uint256, bytes, bool')
  return [0x01, encodeAbiParameters(parameters, [recipient, amountOut, most, path, payerIsUser])]
}

/** The same along pairs of v2. */
export function v2Out(pipeline: Pipeline, path: readonly Address[]): readonly [number, Hex] {
  const parameters = parseAbiParameters('address, uint256, uint256, address[], bool')
  return [0x09, encodeAbiParameters(parameters, [pipeline.wallet, leastOut, amountIn, path, true])]
}

type V3Output = {
  readonly recipient?: Address
  readonly most?: bigint
  readonly amountOut?: bigint
  readonly isBack?: boolean
  readonly payerIsUser?: boolean
}

export function pay(command: number, token: Address | null, recipient: Address, least: bigint): readonly [number, Hex] {
  return token === null
    ? [command, encodeAbiParameters(parseAbiParameters('address, uint256'), [recipient, least])]
    : [command, encodeAbiParameters(parseAbiParameters('address, address, uint256'), [token, recipient, least])]
}

/** A v4 swap along a quote, its proceeds to `recipient`. */
export async function v4In(pipeline: Pipeline, recipient: Address): Promise<readonly [number, Hex]> {
  const { swap, tokenIn, tokenOut } = await v4Swap(pipeline)
  const steps = [swap, v4Action.settleAll(tokenIn.address, amountIn), v4Action.takeAllTo(tokenOut.address, recipient)]
  return [0x10, encodeActions(steps)]
}

/** The same, and behind it all that it brought sold for whatever a pool gives. */
export async function v4InAndBack(pipeline: Pipeline): Promise<readonly [number, Hex]> {
  const { swap, tokenIn, tokenOut, version, quote } = await v4Swap(pipeline)
  const steps = [
    swap,
    swapAction(version, { route: quote.route, amountIn: 0n }, [tokenOut, tokenIn], { least: 0n, most: 0n }),
    v4Action.settleAll(tokenIn.address, amountIn),
    v4Action.takeAllTo(tokenIn.address, pipeline.wallet),
    v4Action.takeAllTo(tokenOut.address, pipeline.wallet),
  ]
  return [0x10, encodeActions(steps)]
}

async function v4Swap(pipeline: Pipeline) {
  const quote = await v4Quote(pipeline)
  const [tokenIn, tokenOut] = await Promise.all([tokenOf(pipeline, 'USDC'), tokenOf(pipeline, 'WETH')])
  const { version } = pipeline.chain.amm.universalRouter!
  const swap = swapAction(version, quote, [tokenIn, tokenOut], { least: leastOut, most: amountIn })
  return { swap, tokenIn, tokenOut, version, quote }
}

export async function quoteIn(
  pipeline: Pipeline,
  version: 'v2' | 'v3' | 'v4',
  symbols: readonly [string, string],
): Promise<Quote> {
  const [tokenIn, tokenOut] = await Promise.all([tokenOf(pipeline, symbols[0]), tokenOf(pipeline, symbols[1])])
  return pipeline.liquidity.quote(pipeline.chain, { tokenIn, tokenOut, amountIn, versions: [version] })
}

export function tokenOf(pipeline: Pipeline, symbol: string) {
  return pipeline.tokens.byAddress(pipeline.chain, pipeline.token(symbol))
}

async function v4Quote(pipeline: Pipeline): Promise<Quote> {
  const quote = await quoteIn(pipeline, 'v4', ['USDC', 'WETH'])
  return { ...quote, route: quote.route.slice(0, 1) }
}

/** Calls of the v3 position manager in one multicall. */
export function managed(pipeline: Pipeline, calls: readonly Hex[], value = 0n): UpstreamTransaction {
  const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [calls] })
  return sent(pipeline, pipeline.chain.amm.v3!.positionManager, data, value)
}

export function decrease(tokenId: bigint, liquidity: bigint, least = 1n): Hex {
  const bounds = { amount0Min: least, amount1Min: least, deadline: askedDeadline }
  const args = [{ tokenId, liquidity, ...bounds }] as const
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'decreaseLiquidity', args })
}

export function collect(tokenId: bigint, recipient: Address): Hex {
  const most = 2n ** 128n - 1n
  const args = [{ tokenId, recipient, amount0Max: most, amount1Max: most }] as const
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'collect', args })
}

/** Functions that move or give away a position or a token, as a stranger would put them into calldata. */
export const hostileAbi = parseAbi([
  'function selfPermit(address token, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function approve(address to, uint256 tokenId)',
  'function setApprovalForAll(address operator, bool approved)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function transfer(address to, uint256 amount)',
  'function execute(bytes commands, bytes[] inputs)',
])

export const native = zeroAddress
