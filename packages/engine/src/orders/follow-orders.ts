import { type OrderFacts, readOrder, type SignedOrder } from '@svc/amm'
import { readOrderFacts } from '@svc/amm/orders'
import type { OpenReservation, StoredOrder } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { type Address, type Hash, isAddress, isHex } from 'viem'
import * as z from 'zod'
import { isolateFailure, onStorage } from '../call/storage.ts'
import { settledBlock } from '../call/chain-snapshot.ts'
import type { Engine, ExecutionContext } from '../context/engine.ts'
import { gasCostsOr, receiptOf } from '../spending/gas-cap.ts'
import { isPaused } from '../switches/kill-switch.ts'
import { priceTokens } from '../value/spend-value.ts'

/**
 * Follows the signed orders of a chain by what the chain alone says: the nonce at Permit2 and the logs of the reactor, in a block that no
 * reorganisation replaces but a rare one. One that was filled counts as it was reserved; of one that is over, or cancelled, nothing
 * counts any more but gas. One that its fillers have not taken is offered again, as the same bytes. Each apart from the others: one that
 * fails is logged, counts on, and is tried again next time. Throws `STORAGE_UNAVAILABLE`.
 */
export async function followOrders(context: ExecutionContext): Promise<void> {
  const { engine, chain } = context
  for (const one of await openOrders(engine, chain)) {
    const facts = { chainId: chain.id, requestId: one.requestId, orderId: one.orderId }
    await isolateFailure(engine, 'order.unfollowed', facts, async () => {
      if (await endIfDecided(context, one)) return
      if (one.state === 'signed' && one.order.deadline * 1_000 > engine.now() && !(await isPaused(engine.dataDir))) {
        await offerOrder(context, one)
      }
    })
  }
}

/** Orders that may be filled yet: what is reserved for them counts, and their allowances stand. Throws `STORAGE_UNAVAILABLE`. */
export async function openOrders(
  { orders }: Pick<Engine, 'orders'>,
  { id }: Pick<Chain, 'id'>,
): Promise<readonly OpenOrder[]> {
  const open = await onStorage('the orders cannot be read', () => orders.open(id))
  return open.map(openOrderOf)
}

export type OpenOrder = Omit<StoredOrder, 'orderId' | 'wallet' | 'signature'> &
  SignedOrder & { readonly signature: Hash }

/** Ends an order that the chain has decided in a settled block, and answers whether it has. Throws `RPC_*`, `STORAGE_UNAVAILABLE`. */
export async function endIfDecided(context: ExecutionContext, one: OpenOrder): Promise<boolean> {
  const { engine, client, chain } = context
  const head = await engine.rpc.head(chain)
  const number = settledBlock(chain, head.number)
  if (number <= one.signedAtBlock) return false
  const { timestamp } = await client.getBlock({ blockNumber: number })
  const facts = await readOrderFacts({ client, chain }, one, { number, timestamp })
  if (facts.status === 'open') return false
  await end(context, one, facts.status, facts)
  return true
}

/** A signed order as somebody asks for it: as it ended, else as the newest block has it. Throws `RPC_*`, `STORAGE_UNAVAILABLE`. */
export async function viewOrder(context: ExecutionContext, stored: StoredOrder): Promise<ViewedOrder> {
  const { engine, client, chain } = context
  const one = openOrderOf(stored)
  const ended = outcomeOf(stored)
  if (ended !== null) return { ...one, ...ended, isFinal: true }
  const isDecided = await endIfDecided(context, one)
  const head = await engine.rpc.head(chain)
  const { status, fill } = await readOrderFacts({ client, chain }, one, head)
  return { ...one, status, fill, isFinal: isDecided }
}

export type ViewedOrder = OpenOrder &
  Pick<OrderFacts, 'status' | 'fill'> & {
    /** Whether the blocks that say so are deep enough, so that what was reserved for it is settled. */
    readonly isFinal: boolean
  }

/** Hands a signed order to those who fill, and answers whether they took it. */
export async function offerOrder(context: ExecutionContext, one: OpenOrder): Promise<boolean> {
  const { engine, chain } = context
  const answer = await engine.submitOrder(one.order, one.signature)
  if (answer === 'accepted') await onStorage('the order cannot be kept', () => engine.orders.accept(one.operationId))
  const { requestId, operationId, orderId } = one
  engine.log.info('order.submitted', { requestId, orderId, answer })
  engine.audit.note({
    event: 'order.submitted',
    requestId,
    chainId: chain.id,
    operationId,
    orderId,
    result: { answer },
  })
  return answer === 'accepted'
}

/** A row as it is worked with. Throws where one of ours makes no sense. */
export function openOrderOf(stored: StoredOrder): OpenOrder {
  const { terms, orderId, wallet, signature } = stored
  if (!isHex(orderId) || !isAddress(wallet) || !isHex(signature)) throw new TypeError('a signed order makes no sense')
  return { ...stored, order: readOrder(terms), orderId, wallet, signature }
}

/** First the ledger, then the order: what is cut off in between is done once more, and changes nothing. */
async function end(
  context: ExecutionContext,
  one: OpenOrder,
  state: Exclude<OrderFacts['status'], 'open'>,
  { fill, block }: OrderFacts,
): Promise<void> {
  const { engine, chain } = context
  const { operationId, orderId, requestId, reservationId } = one
  const open = await onStorage('the spend ledger cannot be read', () => engine.ledger.open())
  const reservation = open.find(({ id }) => id === reservationId)
  if (reservation !== undefined) await settleOrder(context, one, reservation, fill)
  const outcome = JSON.stringify({ status: state, fill, blockNumber: block.number }, (_name, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  )
  await onStorage('the audit log cannot be written', () =>
    engine.audit.append({
      event: 'order.ended',
      requestId,
      chainId: chain.id,
      operationId,
      orderId,
      result: { state, fill },
    }),
  )
  await onStorage('the order cannot be kept', () => engine.orders.end(operationId, { state, outcome }))
}

/** What it really brought lowers nothing: it was weighed and counted as if it fell to its least. */
async function settleOrder(
  context: ExecutionContext,
  { requestId, order }: OpenOrder,
  reservation: OpenReservation,
  fill: OrderFacts['fill'],
): Promise<void> {
  const { engine, chain, client } = context
  const { id, amountUsdMicros, gasUsdMicros, budgets } = reservation
  const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(requestId))
  const mined = signed.filter(
    ({ reservationId, state }) => reservationId === id && (state === 'final' || state === 'reverted'),
  )
  const [priced, ...receipts] = await Promise.all([
    priceTokens([], { ...engine, directory: engine.tokens, chain }),
    ...mined.map(async (entry) => receiptOf(entry, await client.getTransactionReceipt({ hash: entry.hash }), chain)),
  ])
  const gas = gasCostsOr(gasUsdMicros, receipts, priced)
  const nothing = budgets.map(({ name }) => ({ name, usdMicros: 0n }))
  await onStorage('the spend ledger cannot be written', () =>
    fill === null
      ? engine.ledger.settle(id, 0n, gas, nothing, { amounts: new Map() })
      : engine.ledger.settle(id, amountUsdMicros, gas, [], {
          amounts: new Map([[order.tokenIn.toLowerCase(), fill.amountIn]]),
        }),
  )
}

function outcomeOf({ outcome }: StoredOrder): Pick<OrderFacts, 'status' | 'fill'> | null {
  return outcome === null ? null : outcomeForm.parse(JSON.parse(outcome))
}

const integer = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
const fillForm = z.object({
  txHash: z.custom<Hash>((value) => isHex(value)),
  blockNumber: integer,
  filler: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)),
  amountIn: integer,
  amountOut: integer,
})
const outcomeForm = z.object({ status: z.enum(['filled', 'expired', 'cancelled']), fill: fillForm.nullable() })
