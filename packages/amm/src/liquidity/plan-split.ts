import type { Chain } from '@svc/wallet/core'
import { type Address, concat, encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import type { Settled } from '../intent.ts'
import type { LiquidityPlan, Quote, QuotePart, SwapOutcome, SwapRequest, Token } from '../ports.ts'
import { type Segment, segmentsOf, tokensAlong, v3Path } from './quotes/route-query.ts'
import { routerAlias } from './v3/plan-swap.ts'
import { receivedAt, swapAction, universalRouterAbi, v4SwapCommand } from './v4/plan-swap.ts'
import { refuseDeltaHooks } from './v4/pool-key.ts'
import { encodeActions, v4Action } from './v4/v4-action.ts'
import { requireDeployment } from './planning/refusals.ts'
import { swapLimits } from './planning/slippage-limits.ts'
import { swapIntent } from './planning/swap-intent.ts'
import { transfersOf } from './planning/plan-payment.ts'

/**
 * Plans a swap whose input several routes share, or whose route leads through pools of several versions, or through pools of v4 that hold
 * native currency where the trade is of its wrapped token, in one call of the universal router. Every part pays the router, which is locked
 * until it is done; what one leaves there for the next, that takes all of. One payout at the end makes sure of the least that the whole
 * must bring: a part that brings less may be made up for by another.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `HOOK_NOT_SUPPORTED`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planSplit(
  chain: Chain,
  quote: Quote & { readonly parts: readonly QuotePart[] },
  request: SwapRequest,
): LiquidityPlan<SwapOutcome, SwapOutcome> {
  const { address: router, version } = requireDeployment(chain, 'universalRouter')
  const { parts } = quote
  for (const { pool } of parts.flatMap(({ route }) => route)) refuseDeltaHooks(pool.hooks, 'tokenOut')
  const { tokenIn, tokenOut, recipient } = request
  const limits = swapLimits(quote, request)
  // Pools of v4 may hold native currency itself, the others hold its wrapped form.
  const wrappedIn = tokenIn.isNative ? sumOf(parts.filter(({ route }) => route[0]?.tokenIn.isNative === false)) : 0n
  const nativeOut = parts.some(({ route }) => route.at(-1)?.tokenOut.isNative === true)
  const wrappedOut = tokenOut.isNative && parts.some(({ route }) => route.at(-1)?.tokenOut.isNative === false)
  const commands: readonly Command[] = [
    ...(wrappedIn > 0n ? [wrap(wrappedIn)] : []),
    ...parts.flatMap((part) => commandsOf(version, part, request)),
    ...(nativeOut && !tokenOut.isNative ? [wrap(wholeBalance)] : []),
    ...(wrappedOut ? [unwrap(nativeOut ? routerAlias : recipient, nativeOut ? 0n : limits.least)] : []),
    ...(wrappedOut && !nativeOut ? [] : [sweep(tokenOut.address, recipient, limits.least)]),
  ]
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [concat(commands.map(({ code }) => code)), commands.map(({ input }) => input), BigInt(request.deadline)],
  })
  const through = parts.flatMap(({ route }) => route.map(({ pool }) => ({ version: pool.version, pool: pool.id })))
  return {
    intent: swapIntent(chain, quote, request, { router, data, ...limits, via: 'permit2', atomicity: 'single' }),
    preview: { amountIn: quote.amountIn, amountOut: quote.amountOut },
    decode: async (settled) => {
      const paidOut = transfersOf(settled, tokenOut.address).between(router, recipient)
      const amountOut = tokenOut.isNative ? nativeOutOf(chain, settled, parts) : paidOut
      return { amountIn: quote.amountIn, amountOut, through }
    },
  }
}

/** Wrapped currency that pools paid the router, and what pools of v4 paid it in native currency itself. */
function nativeOutOf(chain: Chain, settled: Settled, parts: readonly QuotePart[]): bigint {
  const { address: router } = requireDeployment(chain, 'universalRouter')
  const wrapped = transfersOf(settled, chain.wrappedNative.address).into(router)
  const inNative = parts.flatMap(({ route }) => route.slice(-1)).filter((hop) => hop.tokenOut.isNative)
  return inNative.reduce((sum, { pool, tokenOut }) => {
    const { poolManager } = requireDeployment(chain, 'v4')
    return sum + receivedAt(settled, pool, tokenOut, { poolManager, router })
  }, wrapped)
}

type Command = { readonly code: Hex; readonly input: Hex }

type RouterVersion = Parameters<typeof swapAction>[0]

/**
 * The first segment of a part is paid for by the wallet, or out of what was wrapped before; wrapped currency whose pool holds the native
 * one is drawn in and unwrapped. Each after it is paid for with all that came of the one before. A pool of v3 that runs empty takes a part of that without a word: the rest is the wallet's.
 */
function commandsOf(
  version: RouterVersion,
  { route, amountIn }: QuotePart,
  { tokenIn, recipient }: Pick<SwapRequest, 'tokenIn' | 'recipient'>,
): readonly Command[] {
  const segments = segmentsOf(route)
  return segments.flatMap((segment, index) => {
    const held = segments[index - 1]?.hops.at(-1)?.tokenOut
    const wanted = segment.hops[0]?.tokenIn
    const swap = (amount: bigint, payerIsUser: boolean) => swaps[segment.version](version, segment, amount, payerIsUser)
    if (held === undefined || wanted === undefined) {
      if (tokenIn.isNative || wanted?.isNative !== true) return [swap(amountIn, !tokenIn.isNative)]
      return [drawIn(tokenIn.address, amountIn), unwrap(routerAlias, 0n), swap(wholeBalance, false)]
    }
    const rest = segment.version === 'v3' ? [sweep(wanted.address, recipient, 0n)] : []
    return turn(held, wanted).concat(swap(wholeBalance, false), rest)
  })
}

const swaps = { v2: swapV2, v3: swapV3, v4: swapV4 } as const

/** `CONTRACT_BALANCE` of the universal router. */
const wholeBalance = 2n ** 255n

/** Native currency into its wrapped form or back, where the next pools hold the other one. */
function turn(held: Token, wanted: Token): readonly Command[] {
  if (held.isNative === wanted.isNative) return []
  return [held.isNative ? wrap(wholeBalance) : unwrap(routerAlias, 0n)]
}

function swapV2(_version: RouterVersion, segment: Segment, amountIn: bigint, payerIsUser: boolean): Command {
  const form = parseAbiParameters('address, uint256, uint256, address[], bool')
  const input = encodeAbiParameters(form, [routerAlias, amountIn, 0n, tokensAlong(segment), payerIsUser])
  return { code: '0x08', input }
}

function swapV3(_version: RouterVersion, segment: Segment, amountIn: bigint, payerIsUser: boolean): Command {
  const form = parseAbiParameters('address, uint256, uint256, bytes, bool')
  const path = v3Path(tokensAlong(segment), segment.hops, 'in')
  return { code: '0x00', input: encodeAbiParameters(form, [routerAlias, amountIn, 0n, path, payerIsUser]) }
}

function swapV4(version: RouterVersion, { hops }: Segment, amountIn: bigint, payerIsUser: boolean): Command {
  const [first] = hops
  const last = hops.at(-1)
  if (first === undefined || last === undefined) throw new TypeError('a route has at least one pool')
  const [tokenIn, tokenOut] = [first.tokenIn, last.tokenOut]
  const path = [tokenIn, ...hops.map((hop) => hop.tokenOut)] as const
  const isWhole = amountIn === wholeBalance
  // What was paid in beforehand is a credit, and the swap takes all of that.
  const swapped = { route: hops, amountIn: isWhole ? 0n : amountIn }
  const swap = swapAction(version, swapped, path, { least: 0n, most: swapped.amountIn })
  // Native currency is paid out of what was sent along in any case.
  const isHeld = isWhole || (!payerIsUser && !tokenIn.isNative)
  const steps = [
    ...(isHeld
      ? [v4Action.settleHeld(tokenIn.address, amountIn), swap]
      : [swap, v4Action.settleAll(tokenIn.address, amountIn)]),
    v4Action.takeAllTo(tokenOut.address, routerAlias),
  ]
  return { code: v4SwapCommand, input: encodeActions(steps) }
}

/** Out of the wallet, by Permit2. */
function drawIn(token: Address, amount: bigint): Command {
  const form = parseAbiParameters('address, address, uint160')
  return { code: '0x02', input: encodeAbiParameters(form, [token, routerAlias, amount]) }
}

function wrap(amount: bigint): Command {
  return { code: '0x0b', input: encodeAbiParameters(parseAbiParameters('address, uint256'), [routerAlias, amount]) }
}

function unwrap(recipient: Address, least: bigint): Command {
  return { code: '0x0c', input: encodeAbiParameters(parseAbiParameters('address, uint256'), [recipient, least]) }
}

function sweep(token: Address, recipient: Address, least: bigint): Command {
  return {
    code: '0x04',
    input: encodeAbiParameters(parseAbiParameters('address, address, uint256'), [token, recipient, least]),
  }
}

function sumOf(parts: readonly QuotePart[]): bigint {
  return parts.reduce((sum, { amountIn }) => sum + amountIn, 0n)
}
