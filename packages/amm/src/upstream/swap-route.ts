import { type Address, getAddress, type Hex, isAddressEqual, parseEventLogs } from 'viem'
import type { Chain } from '@svc/wallet/core'
import { v2PairAbi } from '../abis/v2.ts'
import { v3PoolAbi } from '../abis/v3.ts'
import { v4PoolManagerAbi } from '../abis/v4.ts'
import type { Intent, Settled } from '../intent.ts'
import { lessSlippage } from '../liquidity/planning/slippage-limits.ts'
import { requireEvent } from '../liquidity/planning/transfers-of.ts'
import type { LiquidityRoute } from './route-liquidity.ts'
import type { Quote, SwapOutcome, Version } from '../ports.ts'
import type { TradingRoutePorts } from './create-trading-client.ts'
import { TradingError, upstreamRefusal } from './trading-error.ts'

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
      const kept = keptLeastOf(request)
      const slippageBps = slippageOf(quote, kept ?? leastOf(intent), request)
      const offered = await client.quote(
        {
          type: 'EXACT_INPUT',
          amount: `${quote.amountIn}`,
          tokenIn: tokenIn.address,
          tokenOut: tokenOut.address,
          tokenInChainId: chain.id,
          tokenOutChainId: chain.id,
          swapper: recipient,
          slippageTolerance: slippageBps / 100,
          routingPreference: 'BEST_PRICE',
          protocols: ['V2', 'V3', 'V4'],
        },
        router.version,
      )
      const sure = lessSlippage(BigInt(offered.output.amount), slippageBps)
      const promised = sure - mostRoundedOff
      // A plan that is carried out names its router: there what it says of the least decides, not which route is better by now.
      const isWorse =
        kept === null ? sure < leastOf(intent) || BigInt(offered.output.amount) < quote.amountOut : promised < kept
      if (isWorse || promised <= 0n) return null
      const transaction = await client.swap({ quote: offered, deadline }, router.version)
      const { slippageBps: _, ...asked } = intent
      const receives = [{ token: tokenOut.address, amount: promised }]
      const {
        calls,
        approvals,
        deadline: built,
      } = guard(transaction, {
        ...asked,
        chain,
        wallet: recipient,
        kind: 'swap',
        receives,
        position: null,
        pool: null,
        latestDeadline: deadline,
        slippageBps,
        label: 'swap',
      })
      // It has a lock: no code that runs on the way can take what lies in it.
      if (!calls.every(({ to }) => isAddressEqual(to, router.address)))
        throw upstreamRefusal('it goes to another router')
      const atomicity = 'single'
      return {
        intent: { ...intent, calls, approvals, atomicity, deadline: built, receives },
        decode: async (settled) =>
          tradeIn(chain, quote, { tokenOut: tokenOut.address, router: router.address }, settled),
      }
    },
  }
}

/** In smallest units: each of several legs of what others build rounds its own minimum. */
export const mostRoundedOff = 8n

function leastOf({ receives: [received] }: Intent): bigint {
  if (received === undefined) throw new TypeError('a plan of a swap says what must arrive')
  return received.amount
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
  { amountIn }: Quote,
  { tokenOut, router }: { readonly tokenOut: Address; readonly router: Address },
  settled: Settled,
): SwapOutcome {
  const arrived = settled.deltas.filter(({ token }) => isAddressEqual(token, tokenOut))
  const { amount: amountOut } = requireEvent(arrived, 'payment to the wallet')
  return { amountIn, amountOut, through: poolsIn(chain, router, settled) }
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
