import type { CrossChainFill, CrossChainRefund } from '@svc/amm'
import { mayWrite } from '../orders/follow-orders.ts'
import { readCrossChainFill, readCrossChainRefund } from '@svc/amm/cross-chain'
import type { StoredOrder } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { type Hash, isAddress, isHex, type PublicClient } from 'viem'
import * as z from 'zod'
import { settledBlock } from '../call/chain-snapshot.ts'
import { isolateFailure, onStorage } from '../call/refusal.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { recordEnd, gasOf } from '../orders/settle-order.ts'
import {
  type CrossChainEnd,
  openCrossChainOrders,
  type OpenCrossChain,
  openCrossChainOf,
  type Opening,
  readOpening,
  type ViewedCrossChain,
} from './open-cross-chain.ts'
import { larger } from '@svc/lp-math'
import { assetKey } from '../call/amounts.ts'
import { countable } from '../spending/countable.ts'
import { lossAbove, noneOf } from '../spending/spend-limit.ts'
import { priceAtDestination } from '../value/destination-price.ts'
import { lostBy } from '../value/mined-loss.ts'
import { priceTokens, valueOf } from '../value/spend-value.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'

/**
 * Follows the cross-chain orders of a chain to their ends: filled by what the destination's own endpoints show, refunded by what came back to
 * the wallet on the chain where it was opened. Each apart from the others: one that fails is logged, counts on, and is tried again next
 * time. Throws `STORAGE_UNAVAILABLE`.
 *
 * @param inFlight requests that are on their way, which end what they leave unopened themselves
 */
export async function followCrossChain(context: ExecutionContext, inFlight: ReadonlySet<string>): Promise<void> {
  const { engine, chain } = context
  for (const one of await openCrossChainOrders(engine, chain)) {
    const facts = { chainId: chain.id, requestId: one.requestId, orderId: one.orderId }
    await isolateFailure(engine, 'order.unfollowed', facts, async () => {
      if (!inFlight.has(one.requestId)) await endCrossChainIfDecided(context, one, { mayBeOnItsWay: false })
    })
  }
}

/**
 * Ends a cross-chain order where it is certain how, and answers whether it is. It is filled where an endpoint of the destination shows so in
 * a settled block and none denies it. It is refunded where every endpoint of the destination shows a settled block past its deadline in
 * which it is not filled, so that nobody can fill it any more, and every endpoint of its own chain shows that as much as was put in came back
 * from the settler. What neither end shows for a day after the deadline is lost. Throws `RPC_*`, `STORAGE_UNAVAILABLE`.
 *
 * @param mayBeOnItsWay its request may be running: between the record of an order and the signature of its call nothing tells it from one that
 * never will be opened, so that is left to the request itself and to the sweep
 */
export async function endCrossChainIfDecided(
  context: ExecutionContext,
  one: OpenCrossChain,
  { mayBeOnItsWay }: { readonly mayBeOnItsWay: boolean },
): Promise<boolean> {
  const opening = await readOpening(context, one)
  const decided = await decide(context, one, opening)
  if (decided === null || (mayBeOnItsWay && decided.status === 'unopened')) return false
  await endCrossChain(context, one, decided)
  return true
}

/** First the ledger, then the order: what is cut off in between is done once more, and changes nothing. */
export async function endCrossChain(context: ExecutionContext, one: OpenCrossChain, decided: Decided): Promise<void> {
  await settleCrossChain(context, one, decided)
  await recordEnd(context, one, decided)
}

/** A cross-chain order as somebody asks for it: as it ended, else as the newest blocks of both chains have it. Throws `RPC_*`. */
export async function viewCrossChain(context: ExecutionContext, stored: StoredOrder): Promise<ViewedCrossChain> {
  const { engine } = context
  const one = openCrossChainOf(stored)
  const ended = outcomeOf(stored)
  if (ended !== null) return { ...one, ...ended, isFinal: true }
  const opening = await readOpening(context, one)
  const { txHash: openTxHash } = opening
  const decided = await decide(context, one, opening)
  // What is not opened yet may be on its way: its own request, or the sweep, ends it.
  if (decided !== null && decided.status !== 'unopened') {
    if (mayWrite(engine)) await endCrossChain(context, one, decided)
    return { ...one, ...decided, isFinal: true }
  }
  const destination = engine.chains.get(`${one.order.destinationChainId}`)
  const client = engine.rpc.client(destination)
  const head = await engine.rpc.head(destination)
  const fill = await readCrossChainFill({ client, chain: destination }, one, head)
  const isOver = Number(head.timestamp) > one.order.fillDeadline
  const status = fill !== null ? 'filled' : isOver ? 'overdue' : 'open'
  return { ...one, status, isFinal: false, openTxHash, fill, refund: null }
}

type Decided = {
  readonly status: CrossChainEnd
  readonly openTxHash: Hash | null
  readonly fill: CrossChainFill | null
  readonly refund: CrossChainRefund | null
}

async function decide(context: ExecutionContext, one: OpenCrossChain, opening: Opening): Promise<Decided | null> {
  const { engine, chain } = context
  const ended = { openTxHash: opening.txHash, fill: null, refund: null }
  if (opening.blockNumber === null) return opening.state === 'out' ? null : { ...ended, status: 'unopened' }
  const lateMs = engine.now() - one.order.fillDeadline * 1_000
  // What its settler announces otherwise is owed to nobody that is known.
  if (opening.state === 'misopened') return { ...ended, status: 'lost' }
  if (one.state === 'signed' && mayWrite(engine)) {
    await onStorage('the order cannot be kept', () => engine.orders.accept(one.operationId))
  }
  const destination = engine.chains.list().find(({ id }) => id === one.order.destinationChainId)
  const there = destination === undefined ? null : await readDestination(context, destination, one)
  if (there?.fill) return { ...ended, status: 'filled', fill: there.fill }
  if (there?.isOver === true && lateMs > 0) {
    const refund = await readRefund(context, { ...one, openedIn: opening.blockNumber })
    if (refund !== null) return { ...ended, status: 'refunded', refund }
  }
  if (lateMs <= unprovenMs) return null
  engine.log.error('order.unproven', { chainId: chain.id, requestId: one.requestId, orderId: one.orderId })
  return { ...ended, status: 'lost' }
}

/** What all endpoints of a destination show together: a fill that none denies, or that nobody can fill it any more. */
async function readDestination(
  { engine }: ExecutionContext,
  destination: Chain,
  one: OpenCrossChain,
): Promise<{ readonly fill: CrossChainFill | null; readonly isOver: boolean }> {
  const views = await eachSettled({ engine, chain: destination }, one, async (client, block) => ({
    fill: await readCrossChainFill({ client, chain: destination }, one, block),
    isOver: Number(block.timestamp) > one.order.fillDeadline,
  }))
  const read = views.filter((view) => view !== null)
  const shown = read.map(({ fill }) => fill)
  const isFilled = shown.length > 0 && shown.every((fill) => fill !== null)
  // One that shows by what it was filled says more than one that keeps it back.
  const fill = shown.find((one) => one !== null && one.txHash !== null) ?? shown.find((one) => one !== null) ?? null
  const isOver = read.length === views.length && read.every((view) => view.isOver && view.fill === null)
  return { fill: isFilled ? fill : null, isOver: isOver && isSameBlock(read) }
}

/** What came back from the settler, where every endpoint shows it. */
async function readRefund(
  { engine, chain }: ExecutionContext,
  one: OpenCrossChain & { readonly openedIn: bigint },
): Promise<CrossChainRefund | null> {
  const views = await eachSettled({ engine, chain }, one, async (client, block) => ({
    refund: await readCrossChainRefund({ client, chain }, one, block),
  }))
  const refunds = views.map((view) => view?.refund ?? null)
  return refunds.every((refund) => refund !== null) ? (refunds[0] ?? null) : null
}

/** Asks each endpoint of a chain about the same settled block; `null` where one does not answer, or has another block there meanwhile. */
async function eachSettled<View extends object>(
  { engine, chain }: Pick<ExecutionContext, 'engine' | 'chain'>,
  { requestId, orderId }: OpenCrossChain,
  read: (client: PublicClient, block: { readonly number: bigint; readonly timestamp: bigint }) => Promise<View>,
): Promise<readonly ((View & { readonly hash: Hash }) | null)[]> {
  const head = await engine.rpc.head(chain)
  const blockNumber = settledBlock(chain, head.number)
  return await Promise.all(
    engine.rpc.each(chain).map(async (client) => {
      try {
        const block = await client.getBlock({ blockNumber })
        const view = await read(client, block)
        const again = await client.getBlock({ blockNumber })
        return again.hash === block.hash ? Object.assign(view, { hash: block.hash }) : null
      } catch (error) {
        engine.log.warn('order.unread', { chainId: chain.id, requestId, orderId, error })
        return null
      }
    }),
  )
}

function isSameBlock(views: readonly { readonly hash: Hash }[]): boolean {
  return views.length > 0 && views.every(({ hash }) => hash === views[0]?.hash)
}

/** Bridges give back what nobody filled within hours. */
const unprovenMs = 24 * 60 * 60 * 1_000

function outcomeOf({ state, outcome }: StoredOrder): Decided | null {
  if (state === 'unopened') return { status: 'unopened', openTxHash: null, fill: null, refund: null }
  return outcome === null ? null : outcomeForm.parse(JSON.parse(outcome))
}

const integer = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
const hash = z.custom<Hash>((value) => isHex(value))
const fillForm = z.object({
  txHash: hash.nullable(),
  blockNumber: integer.nullable(),
  filler: z.custom<`0x${string}`>((value) => typeof value === 'string' && isAddress(value)).nullable(),
  amountOut: integer,
})
const outcomeForm = z.object({
  status: z.enum(['filled', 'refunded', 'unopened', 'lost']),
  openTxHash: hash.nullable(),
  fill: fillForm.nullable(),
  refund: z.object({ txHash: hash, blockNumber: integer, amountIn: integer }).nullable(),
})

/**
 * Settles what is reserved for a cross-chain order that has ended. What came back counts its gas alone. What was filled counts as traded, by
 * what arrived on the destination at prices of now, and never less than was reserved; what is lost counts as lost in full. Where less arrived
 * than the order says, by however little, the breaker opens for all but ways home. The same again changes nothing. Of one that was never opened the clear-up
 * settles what its request has signed.
 */
async function settleCrossChain(
  context: ExecutionContext,
  one: OpenCrossChain,
  { status, fill }: { readonly status: CrossChainEnd; readonly fill: CrossChainFill | null },
): Promise<void> {
  const { engine, chain } = context
  const open = await onStorage('the spend ledger cannot be read', () => engine.ledger.open())
  const reservation = open.find(({ id }) => id === one.reservationId)
  if (reservation === undefined || status === 'unopened') return
  const { id, budgets, amountUsdMicros } = reservation
  if (status === 'refunded') {
    const gas = await gasOf(context, one, reservation, null)
    await onStorage('the spend ledger cannot be written', () =>
      engine.ledger.settle(id, 0n, gas, noneOf(budgets), { amounts: new Map() }),
    )
    return
  }
  const { inputToken, inputAmount, outputToken, destinationChainId } = one.order
  const [own, there] = await Promise.all([
    priceTokens([inputToken], { ...engine, directory: engine.tokens, chain }),
    priceAtDestination(engine, one.order).catch(() => new Map()),
  ])
  const priced = new Map([...own, ...there])
  const [sold, bought] = [inputToken.toLowerCase(), assetKey(destinationChainId, outputToken)]
  const came = fill?.amountOut ?? 0n
  await holdArrival(context, one, { status, came })
  const amounts = new Map([[sold, inputAmount]])
  const deltas = new Map([
    [sold, -inputAmount],
    [bought, came],
  ])
  // Without a price at the destination what arrived there is counted as it was reserved.
  const isPriced = came === 0n || priced.get(bought)?.band != null
  const lost = isPriced ? lossAbove(budgets, lostBy(deltas, priced, chain.wrappedNative.address)) : []
  const gas = await gasOf(context, one, reservation, priced)
  const usdMicros = larger(amountUsdMicros, countable(valueOf(amounts, priced).usdMicros))
  await onStorage('the spend ledger cannot be written', () =>
    engine.ledger.settle(id, usdMicros, gas, lost, { amounts }),
  )
}

/** The order says to the unit what arrives, whatever that is worth; the settler decides whether it does. Ways home stay open. */
async function holdArrival(
  { engine, chain }: ExecutionContext,
  one: OpenCrossChain,
  { status, came }: { readonly status: CrossChainEnd; readonly came: bigint },
): Promise<void> {
  if (status !== 'lost' && came >= one.order.outputAmount) return
  const cause =
    status === 'lost'
      ? `no endpoint shows what became of cross-chain order ${one.orderId} of ${chain.name}`
      : `cross-chain order ${one.orderId} of ${chain.name} brought less than it asked for`
  await openBreaker(engine, cause, 'shortfall')
}
