import { larger } from '@svc/lp-math'
import {
  type CrossChainFill,
  type CrossChainRefund,
  type IntentOrder,
  type OrderFill,
  type OrderFacts,
  readOrder,
  type SignedOrder,
} from '@svc/amm'
import type { BudgetAmount, OpenReservation, OrderEnd, StoredOrder } from '@svc/store'
import { type TransactionReceipt, type Hash, isAddress, isHex } from 'viem'
import { onStorage } from '../call/refusal.ts'
import type { ExecutionContext, Engine } from '../context/engine.ts'
import { gasCostsOr, receiptOf } from '../spending/gas.ts'
import { lossAbove, noneOf } from '../spending/spend-limit.ts'
import { countable } from '../spending/countable.ts'
import { lossPct, lostBy, pricesIn } from '../value/mined-loss.ts'
import { boughtIn } from '../value/moved.ts'
import { type PricedTokens, priceTokens, trustedWorth, valueOf } from '../value/spend-value.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'
import type { Chain } from '@svc/wallet/core'

/**
 * Settles what is reserved for an order that has ended. One that was not filled counts its gas alone. One that was counts what it sold and
 * what it lost by what really came, at the prices of the block that filled it, and never less than was reserved: whoever fills it chooses
 * the moment. Where less came than its end, the breaker opens as for a transaction that brought less than simulated. The same again
 * changes nothing.
 */
export async function settleOrder(context: ExecutionContext, one: EndedOrder, ended: Ended): Promise<void> {
  const { engine } = context
  const open = await onStorage('the spend ledger cannot be read', () => engine.ledger.open())
  const reservation = open.find(({ id }) => id === one.reservationId)
  if (reservation === undefined) return
  const { id, budgets } = reservation
  if (!ended.isFilled) {
    const gas = await gasOf(context, one, reservation, null)
    await onStorage('the spend ledger cannot be written', () =>
      engine.ledger.settle(id, 0n, gas, noneOf(budgets), { amounts: new Map() }),
    )
    return
  }
  const priced = await pricesOfFill(context, one, ended.fill)
  await holdFill(context, one, ended, priced)
  const gas = await gasOf(context, one, reservation, priced)
  const amountIn = larger(ended.fill?.amountIn ?? 0n, one.order.amountIn)
  const amounts = new Map([[one.order.tokenIn.toLowerCase(), amountIn]])
  const { usdMicros, lost } = worthOf(context, one.order, { ...ended, amountIn }, { reservation, priced })
  await onStorage('the spend ledger cannot be written', () =>
    engine.ledger.settle(id, usdMicros, gas, lost, { amounts }),
  )
}

export type EndedOrder = {
  readonly requestId: string
  readonly orderId: string
  readonly reservationId: string
  readonly order: IntentOrder
}

type Ended = {
  readonly isFilled: boolean
  /** `null` also of a filled one of which nobody shows by what. */
  readonly fill: OrderFill | null
}

/**
 * Writes down how an order has ended, once the ledger is settled: the audit log first, then the order, with all that `ended` holds. What is
 * cut off in between is done once more, and changes nothing. Throws `STORAGE_UNAVAILABLE`.
 */
export async function recordEnd(
  { engine, chain }: Pick<ExecutionContext, 'engine' | 'chain'>,
  { operationId, orderId, requestId }: Pick<StoredOrder, 'operationId' | 'orderId' | 'requestId'>,
  ended: Recorded,
): Promise<void> {
  const { status: state, fill, refund } = ended
  const result = { state, fill, ...(refund !== undefined && { refund }) }
  await onStorage('the audit log cannot be written', () =>
    engine.audit.append({ event: 'order.ended', requestId, chainId: chain.id, operationId, orderId, result }),
  )
  const outcome = JSON.stringify(ended, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  await onStorage('the order cannot be kept', () => engine.orders.end(operationId, { state, outcome }))
}

type Recorded = {
  readonly status: OrderEnd
  readonly fill: OrderFill | CrossChainFill | null
  /** Of a cross-chain one. */
  readonly refund?: CrossChainRefund | null
}

/** Prices of its two tokens and of native currency; of now where it is not known when it was filled, or none of that time can be had. */
async function pricesOfFill(
  context: ExecutionContext,
  { order: { tokenIn, tokenOut } }: EndedOrder,
  fill: OrderFill | null,
): Promise<PricedTokens | null> {
  const { engine, client, chain } = context
  const trades = [{ tokenIn: tokenIn.toLowerCase(), tokenOut: tokenOut.toLowerCase(), pools: [] }]
  const asked = { tokens: [tokenIn, tokenOut], bought: boughtIn([{ trades }]) }
  const then = fill && (await client.getBlock({ blockNumber: fill.blockNumber }).catch(() => null))
  return (then && (await pricesIn(context, then, asked))) ?? pricesIn(context, await engine.rpc.head(chain), asked)
}

function worthOf(
  { chain }: ExecutionContext,
  { tokenIn, tokenOut, endAmountOut }: IntentOrder,
  { amountIn, fill }: Ended & { readonly amountIn: bigint },
  { reservation, priced }: { readonly reservation: OpenReservation; readonly priced: PricedTokens | null },
): { readonly usdMicros: bigint; readonly lost: readonly BudgetAmount[] } {
  const { amountUsdMicros, budgets } = reservation
  if (priced === null) return { usdMicros: amountUsdMicros, lost: [] }
  const left = valueOf(new Map([[tokenIn.toLowerCase(), amountIn]]), priced)
  const deltas = new Map([
    [tokenIn.toLowerCase(), -amountIn],
    [tokenOut.toLowerCase(), fill?.amountOut ?? endAmountOut],
  ])
  return {
    usdMicros: larger(amountUsdMicros, countable(left.usdMicros)),
    lost: lossAbove(budgets, lostBy(deltas, priced, chain.wrappedNative.address)),
  }
}

/** A token decides what arrives of it, and a nonce that is used up without a trace says that somebody hides by what: ways home stay open. */
async function holdFill(
  { engine, chain }: ExecutionContext,
  { orderId, order }: EndedOrder,
  { fill }: Ended,
  priced: PricedTokens | null,
): Promise<void> {
  const cap = engine.policy.breaker.maxSimulationDriftPct
  const bought = order.tokenOut.toLowerCase()
  const [least, came] = [new Map([[bought, order.endAmountOut]]), new Map([[bought, fill?.amountOut ?? 0n]])]
  const worth = (token: string, amount: bigint) => (priced === null ? null : trustedWorth(token, amount, priced))
  if (fill !== null && lossPct(least, came, worth) <= cap) return
  const cause =
    fill === null
      ? `no endpoint shows what became of order ${orderId} on ${chain.name}`
      : `order ${orderId} on ${chain.name} brought more than ${cap} % less than it asked for at least`
  await openBreaker(engine, cause, 'shortfall')
}

/** Of what the order's request has mined; a receipt that cannot be had is counted by itself once it can. */
export async function gasOf(
  { engine, chain, client }: ExecutionContext,
  { requestId }: Pick<EndedOrder, 'requestId'>,
  { id, gasUsdMicros }: OpenReservation,
  known: PricedTokens | null,
) {
  const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(requestId))
  const mined = signed.filter(
    ({ reservationId, state }) => reservationId === id && (state === 'final' || state === 'reverted'),
  )
  const priced = known ?? (await priceTokens([], { ...engine, directory: engine.tokens, chain }))
  const receipts = await Promise.all(
    mined.map(async (entry): Promise<readonly TransactionReceipt[]> => {
      const receipt = await client.getTransactionReceipt({ hash: entry.hash }).catch(() => null)
      return receipt === null ? [] : [receiptOf(entry, receipt, chain)]
    }),
  )
  return gasCostsOr(gasUsdMicros, receipts.flat(), priced)
}

/** Orders that may be filled yet: what is reserved for them counts, and their allowances stand. Throws `STORAGE_UNAVAILABLE`. */
export async function openOrders(
  { orders }: Pick<Engine, 'orders'>,
  { id }: Pick<Chain, 'id'>,
): Promise<readonly OpenOrder[]> {
  const open = await onStorage('the orders cannot be read', () => orders.open(id))
  return open.filter(({ kind }) => kind === 'uniswapx').map(openOrderOf)
}

export type OpenOrder = Omit<StoredOrder, 'kind' | 'orderId' | 'wallet' | 'signature'> &
  SignedOrder & { readonly kind: 'uniswapx'; readonly signature: Hash }

export type ViewedOrder = OpenOrder &
  Pick<OrderFacts, 'status' | 'fill'> & {
    /** Whether the blocks that say so are deep enough, so that what was reserved for it is settled. */
    readonly isFinal: boolean
  }

/** A row as it is worked with. Throws where one of ours makes no sense. */
export function openOrderOf(stored: StoredOrder): OpenOrder {
  const { kind, terms, orderId, wallet, signature } = stored
  if (kind !== 'uniswapx' || !isHex(orderId) || !isAddress(wallet) || !isHex(signature))
    throw new TypeError('a signed order makes no sense')
  return { ...stored, kind, order: readOrder(terms), orderId, wallet, signature }
}
