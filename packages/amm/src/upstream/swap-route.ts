import { type Address, getAddress, type Hex, isAddressEqual, parseEventLogs } from 'viem'
import type { Chain } from '@svc/wallet/core'
import { v2PairAbi } from '../abis/v2.ts'
import { v3PoolAbi } from '../abis/v3.ts'
import { v4PoolManagerAbi } from '../abis/v4.ts'
import type { Intent, Settled } from '../intent.ts'
import { lessSlippage, withSlippage } from '../liquidity/planning/slippage-limits.ts'
import { requireEvent } from '../liquidity/planning/plan-payment.ts'
import type { LiquidityRoute } from './route-liquidity.ts'
import type { Quote, SwapOutcome, Token, Version } from '../ports.ts'
import type { UpstreamAsked } from '../ports/upstream.ts'
import type { TradingRoutePorts } from './create-trading-client.ts'
import { TradingError, upstreamRefusal } from './trading-wire.ts'

/**
 * A swap along whatever pools the trading API finds, where it promises no less than the route found here. The calldata itself has to
 * make sure of the promise less the slippage, so a promise that is not kept brings nobody anything. Allowances are exact and on chain:
 * no permit of its is signed.
 */
export function swapRoute({ client, guard }: TradingRoutePorts): Pick<LiquidityRoute, 'swap'> {
  return {
    async swap(chain, quote, request, { intent }) {
      const { tokenIn, tokenOut, recipient, deadline } = request
      const router = chain.amm.universalRouter
      if (router === undefined) throw new TradingError('refused', 'builds swaps for the universal router alone')
      const isExactOut = quote.isExactOut === true
      const slippageBps = isExactOut
        ? slippageAbove(quote, mostOf(intent), request)
        : slippageOf(quote, keptLeastOf(request) ?? leastOf(intent), request)
      const offered = await client.quote(
        {
          type: isExactOut ? 'EXACT_OUTPUT' : 'EXACT_INPUT',
          amount: `${isExactOut ? quote.amountOut : quote.amountIn}`,
          tokenIn: tokenIn.address,
          tokenOut: tokenOut.address,
          tokenInChainId: chain.id,
          tokenOutChainId: chain.id,
          swapper: recipient,
          slippageTolerance: slippageBps / 100,
          routingPreference: 'BEST_PRICE',
          // The calldata of v4 makes sure of an exact output only where it names the amount that it takes out, that of v2 never.
          protocols: isExactOut ? ['V3'] : ['V2', 'V3', 'V4'],
        },
        router.version,
      )
      const held = (isExactOut ? outputHeld : inputHeld)(quote, request, { intent, offered, slippageBps })
      if (held === null) return null
      const transaction = await client.swap({ quote: offered, deadline }, router.version)
      const { slippageBps: _, ...asked } = intent
      const {
        calls,
        approvals,
        deadline: built,
      } = guard(transaction, {
        ...asked,
        ...held,
        chain,
        wallet: recipient,
        kind: 'swap',
        position: null,
        pool: null,
        latestDeadline: deadline,
        slippageBps,
        label: 'swap',
      })
      // It has a lock: no code that runs on the way can take what lies in it.
      if (!calls.every(({ to }) => isAddressEqual(to, router.address)))
        throw upstreamRefusal('it goes to another router')
      const { spends, receives } = held
      return {
        intent: { ...intent, calls, approvals, atomicity: 'single', deadline: built, spends, receives },
        decode: async (settled) => tradeIn(chain, quote, { ...request, router: router.address }, settled),
      }
    },
  }
}

/** What the calldata of a trade is held to. */
type Held = Pick<UpstreamAsked, 'spends' | 'receives' | 'mayLeave'>

type Offered = {
  readonly intent: Intent
  readonly offered: Awaited<ReturnType<TradingRoutePorts['client']['quote']>>
  readonly slippageBps: number
}

/** `null` where the offer brings less than the route found here. */
function inputHeld(quote: Quote, request: AskedSwap, { intent, offered, slippageBps }: Offered): Held | null {
  const kept = keptLeastOf(request)
  const output = BigInt(offered.output.amount)
  const sure = lessSlippage(output, slippageBps)
  const promised = sure - mostRoundedOff
  // A plan that is carried out names its router: there what it says of the least decides, not which route is better by now.
  const isWorse = kept === null ? sure < leastOf(intent) || output < quote.amountOut : promised < kept
  if (isWorse || promised <= 0n) return null
  return { spends: intent.spends, receives: [{ token: request.tokenOut.address, amount: promised }] }
}

/** `null` where the offer takes more than the route found here. Half of the slippage has to be left, as of an exact input. */
function outputHeld(
  quote: Quote,
  { tokenIn, alone }: AskedSwap,
  { intent, offered, slippageBps }: Offered,
): Held | null {
  const most = mostOf(intent)
  const input = BigInt(offered.input?.amount ?? 0)
  const asked = withSlippage(input, slippageBps) + mostRoundedOff
  const isWorse = alone?.keptRouter == null ? input > quote.amountIn : asked > most
  if (isWorse || input <= 0n) return null
  const token = tokenIn.address
  const half = input + (input * BigInt(slippageBps)) / 20_000n - mostRoundedOff
  return {
    spends: [{ token, amount: asked < most ? asked : most }],
    receives: intent.receives,
    mayLeave: [{ token, amount: half }],
  }
}

/** In smallest units: each of several legs of what others build rounds its own minimum. */
export const mostRoundedOff = 8n

function leastOf({ receives: [received] }: Intent): bigint {
  if (received === undefined) throw new TypeError('a plan of a swap says what must arrive')
  return received.amount
}

function mostOf({ spends: [spent] }: Intent): bigint {
  if (spent === undefined) throw new TypeError('a plan of a swap says what may leave')
  return spent.amount
}

/** The same of an exact output, whose input may grow by it. */
function slippageAbove({ amountIn }: Quote, most: bigint, { alone, slippageBps }: AskedSwap): number {
  const room = Math.max(0, Math.min(slippageBps, Number(((most - amountIn) * 10_000n) / amountIn)))
  return alone?.keptRouter == null ? room : room - Math.ceil(room / 10)
}

type AskedSwap = Parameters<LiquidityRoute['swap']>[2]

/** What a plan of this route that is carried out says must arrive; `null` for a call of its own. */
function keptLeastOf({ alone, keptReceipts = [], tokenOut }: AskedSwap): bigint | null {
  if (alone?.keptRouter == null) return null
  return keptReceipts.find(({ token }) => isAddressEqual(token, tokenOut.address))?.amount ?? null
}

/**
 * What must arrive may be more than the slippage from the present price leaves: then it is tighter. Under a plan a tenth of it is given
 * away for an offer that is a little worse than the route found here.
 */
function slippageOf({ amountOut }: Quote, least: bigint, { alone, slippageBps }: AskedSwap): number {
  const most = Math.max(0, Math.min(slippageBps, Number(((amountOut - least) * 10_000n) / amountOut)))
  return alone?.keptRouter == null ? most : most - Math.ceil(most / 10)
}

function tradeIn(
  chain: Chain,
  { amountIn, amountOut, isExactOut }: Quote,
  { tokenIn, tokenOut, router }: Pick<AskedSwap, 'tokenIn' | 'tokenOut'> & { readonly router: Address },
  settled: Settled,
): SwapOutcome {
  const moved = ({ address }: Token) =>
    requireEvent(
      settled.deltas.filter(({ token }) => isAddressEqual(token, address)),
      'payment of the wallet',
    ).amount
  const through = poolsIn(chain, router, settled)
  return isExactOut === true
    ? { amountIn: -moved(tokenIn), amountOut, through }
    : { amountIn, amountOut: moved(tokenOut), through }
}

/** The pools that say they traded, each with its version. */
function poolsIn({ amm }: Chain, router: Address, { main: { logs } }: Settled): NonNullable<SwapOutcome['through']> {
  const swaps = [...logs]
  const v2 = parseEventLogs({ abi: v2PairAbi, eventName: 'Swap', logs: swaps })
  const v3 = parseEventLogs({ abi: v3PoolAbi, eventName: 'Swap', logs: swaps })
  const v4 = parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'Swap', logs: swaps })
  const of = (version: Version, pools: readonly Hex[]) => pools.map((pool) => ({ version, pool }))
  return [
    ...of(
      'v2',
      byRouter(v2, router).map(({ address }) => getAddress(address)),
    ),
    ...of(
      'v3',
      byRouter(v3, router).map(({ address }) => getAddress(address)),
    ),
    ...of(
      'v4',
      byRouter(v4, router).flatMap(({ address, args }) =>
        amm.v4 !== undefined && isAddressEqual(address, amm.v4.poolManager) ? [args.id] : [],
      ),
    ),
  ]
}

function byRouter<Log extends { readonly args: { readonly sender: Address } }>(
  logs: readonly Log[],
  router: Address,
): readonly Log[] {
  return logs.filter(({ args }) => isAddressEqual(args.sender, router))
}
