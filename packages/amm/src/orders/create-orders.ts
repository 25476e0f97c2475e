import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hash, type Hex, slice } from 'viem'
import { permit2NonceAbi } from '../abis/tokens.ts'
import type { Intent, IntentOrder } from '../intent.ts'
import { describeAmounts, routineIntent } from '../liquidity/planning/plan-payment.ts'
import { lessSlippage } from '../liquidity/planning/slippage-limits.ts'
import type { Liquidity, OrderPlan, OrderRequest, Orders, Quote, RpcPool, Token } from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readSurely } from '../rpc/query.ts'
import { ToolError } from '../tool-error.ts'
import type { TradingClient } from '../upstream/create-trading-client.ts'
import { TradingError, tradingFailure } from '../upstream/trading-wire.ts'
import { nonceMask } from './read-order-facts.ts'
import { readOfferedOrder } from './order-form.ts'

export { orderIdOf, orderTypedData } from './order-form.ts'
export { provesUnfilled, readOrderFacts } from './read-order-facts.ts'

/**
 * Orders of UniswapX. The service words an offer and brings what is signed to those who fill; neither what may be signed nor what has
 * become of it rests on its word.
 */
export function createOrders(ports: OrderPorts): Orders {
  return {
    isOffered: ({ orderReactor }) => orderReactor !== undefined && ports.client !== null,
    planSubmit: (chain, request) => planSubmit(ports, chain, request),
    planCancel,
    async submit({ quote }, signature) {
      if (ports.client === null) return 'unknown'
      try {
        await ports.client.order({ routing: 'DUTCH_V2', signature, quote: JSON.parse(quote) })
        return 'accepted'
      } catch (error) {
        const kind = error instanceof TradingError ? error.kind : 'down'
        return kind === 'refused' || kind === 'key' || kind === 'none' ? 'refused' : 'unknown'
      }
    },
  }
}

export type OrderPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  readonly liquidity: Pick<Liquidity, 'quote'>
  /** Who offers orders and takes signed ones; `null` where there is no key. */
  readonly client: Pick<TradingClient, 'orderQuote' | 'order'> | null
  /** Of this server, to name those that have a reactor. */
  readonly chains: readonly Chain[]
}

async function planSubmit(ports: OrderPorts, chain: Chain, request: OrderRequest): Promise<OrderPlan> {
  const { rpc, client } = ports
  const { tokenIn, tokenOut, amountIn, slippageBps, wallet } = request
  const reactor = requireReactor(ports, chain)
  requireTokens(chain, tokenIn, tokenOut)
  if (client === null) throw new ToolError('API_KEY_NOT_CONFIGURED', 'No service that takes orders is configured.')
  const asked = client.orderQuote({
    type: 'EXACT_INPUT',
    amount: `${amountIn}`,
    tokenIn: tokenIn.address,
    tokenOut: tokenOut.address,
    tokenInChainId: chain.id,
    tokenOutChainId: chain.id,
    swapper: wallet,
    slippageTolerance: slippageBps / 100,
    routingPreference: 'BEST_PRICE',
    protocols: ['UNISWAPX_V2'],
  })
  const [quote, head, offered] = await Promise.all([
    ports.liquidity.quote(chain, { tokenIn, tokenOut, amountIn }),
    rpc.head(chain),
    asked.catch((error: unknown) => {
      throw tradingFailure(error, 'Sell at once with execute_swap.')
    }),
  ])
  const place = { chain, reactor, holder: holderIn(quote, chain), timestamp: Number(head.timestamp) }
  const order = readOfferedOrder(offered, request, place)
  requireFloor(order, lessSlippage(quote.amountOut, slippageBps), tokenOut)
  await requireFreeNonce(ports, chain, order, wallet)
  return { intent: intentOf(chain, request, order), order, quotedAmountOut: quote.amountOut }
}

function requireReactor({ chains }: OrderPorts, { name, orderReactor }: Chain): Address {
  if (orderReactor !== undefined) return orderReactor
  const message = `No contract that settles orders is known on ${name}.`
  const accepted = chains.filter((one) => one.orderReactor !== undefined).map((one) => one.name)
  throw new ToolError('ORDERS_NOT_SUPPORTED', message, { details: [{ field: 'chain', message, accepted }] })
}

/** Permit2 moves ERC-20 tokens alone, and what arrives natively leaves no log to count it by. */
function requireTokens({ wrappedNative }: Chain, tokenIn: Token, tokenOut: Token): void {
  const details = [tokenIn, tokenOut].flatMap(({ isNative, symbol }, index) => {
    const message = `Orders are of ERC-20 tokens, and ${symbol} is none.`
    return isNative ? [{ field: index === 0 ? 'tokenIn' : 'tokenOut', message, accepted: wrappedNative.symbol }] : []
  })
  const [first] = details
  if (first !== undefined) throw new ToolError('VALIDATION_FAILED', first.message, { details })
}

/** What pays at the end of the best route. */
function holderIn({ route }: Pick<Quote, 'route'>, { amm }: Chain): Address {
  const pool = route.at(-1)?.pool
  const holder = pool?.version === 'v4' ? amm.v4?.poolManager : pool && slice(pool.id, 0, 20)
  if (holder === undefined) throw new TypeError('a route ends in a pool')
  return holder
}

function requireFloor({ endAmountOut }: IntentOrder, floor: bigint, tokenOut: Token): void {
  if (endAmountOut >= floor) return
  const [ends, least] = [endAmountOut, floor].map((amount) => describeAmounts([{ token: tokenOut, amount }], 'exact'))
  const message = `The order on offer would end at ${ends}, below the ${least} that the best route on the chain brings within slippageBps.`
  throw new ToolError('ORDER_OFFER_TOO_LOW', message, {
    details: [{ field: 'slippageBps', message, offered: `${endAmountOut}`, floor: `${floor}` }],
  })
}

async function requireFreeNonce({ rpc }: OrderPorts, chain: Chain, { nonce }: IntentOrder, wallet: Address) {
  const [wordPos, mask] = nonceMask(nonce)
  const read = contractRead(chain.permit2, permit2NonceAbi, 'nonceBitmap', [wallet, wordPos])
  const bits = await readSurely(rpc.client(chain), read)
  if ((bits & mask) === 0n) return
  const message = 'The order on offer has a nonce that is used up, so nobody could fill it.'
  throw new ToolError('UNSAFE_TRANSACTION', message, {
    details: [{ field: 'order.nonce', message, offered: `${nonce}` }],
    suggestion: 'Nothing was signed. Call again for another offer, or sell at once with execute_swap.',
  })
}

function intentOf(chain: Chain, request: OrderRequest, order: IntentOrder): Intent {
  const { tokenIn, tokenOut, amountIn, slippageBps, wallet } = request
  const { startAmountOut, endAmountOut, deadline } = order
  const amounts = (token: Token, amount: bigint, rounding: 'exact' | 'nearest') =>
    describeAmounts([{ token, amount }], rounding)
  return {
    ...routineIntent(chain, {
      calls: [],
      atomicity: 'single',
      spends: [{ token: tokenIn.address, amount: amountIn }],
      receives: [{ token: tokenOut.address, amount: endAmountOut }],
      approvals: [
        { token: tokenIn.address, spender: chain.permit2, amount: amountIn, via: 'erc20', revokeAfter: true },
      ],
      slippageBps,
      deadline,
      recipients: [wallet],
      why: `Sign an order that sells ${amounts(tokenIn, amountIn, 'exact')} to whoever fills it until ${new Date(deadline * 1_000).toISOString()}, for ${amounts(tokenOut, startAmountOut, 'nearest')} at first and at least ${amounts(tokenOut, endAmountOut, 'exact')}.`,
    }),
    order,
  }
}

function planCancel(chain: Chain, { nonce, tokenIn }: Pick<IntentOrder, 'nonce' | 'tokenIn'>, orderId: Hash): Intent {
  const data: Hex = encodeFunctionData({
    abi: permit2NonceAbi,
    functionName: 'invalidateUnorderedNonces',
    args: nonceMask(nonce),
  })
  return routineIntent(chain, {
    calls: [{ to: chain.permit2, data, valueWei: 0n, label: 'cancel order' }],
    atomicity: 'single',
    approvals: [{ token: tokenIn, spender: chain.permit2, amount: 0n, via: 'erc20', revokeAfter: true }],
    slippageBps: null,
    deadline: null,
    why: `Cancel order ${orderId}: its nonce is used up, so that nobody can fill it, and its allowance goes back.`,
  })
}
