import { type OrderFacts, type OrderReads, ToolError } from '@svc/amm'
import { provesUnfilled, readOrderFacts } from '@svc/amm/orders'
import type { StoredOrder } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { type Address, type Hash, isAddress, isAddressEqual, isHex, parseTransaction, type PublicClient } from 'viem'
import * as z from 'zod'
import { isolateFailure, onStorage } from '../call/refusal.ts'
import { settledBlock, settledDepth } from '../call/chain-snapshot.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { isPaused } from '../switches/kill-switch.ts'
import { type OpenOrder, openOrderOf, openOrders, type ViewedOrder, recordEnd, settleOrder } from './settle-order.ts'

/**
 * Follows the signed orders of a chain by what the chain alone says: nonce and allowance at Permit2 and the logs of the reactor, in a block
 * that no reorganisation replaces but a rare one. One that was filled counts; of one that is over, or cancelled, nothing
 * counts any more but gas. One that its fillers have not taken is offered again, as the same bytes. Each apart from the others: one that
 * fails is logged, counts on, and is tried again next time. Throws `STORAGE_UNAVAILABLE`.
 */
export async function followOrders(context: ExecutionContext): Promise<void> {
  const { engine, chain } = context
  for (const one of await openOrders(engine, chain)) {
    const facts = { chainId: chain.id, requestId: one.requestId, orderId: one.orderId }
    await isolateFailure(engine, 'order.unfollowed', facts, async () => {
      if (await endIfDecided(context, one)) return
      if (one.state === 'signed' && one.order.deadline * 1_000 > engine.now() && !(await isPaused(engine))) {
        await offerOrder(context, one)
      }
    })
  }
}

/**
 * Ends an order where it is certain how, and answers whether it is. What is reserved is given back on evidence alone that a fill cannot
 * leave behind, in a block that is settled, and each endpoint must bear it out: one that keeps logs back, or tells of another nonce or time,
 * sells otherwise what nobody counts. It ends as filled where one shows the fill and none denies it. What is not borne out for long after the
 * deadline ends as filled, at its worst. Throws `RPC_*`, `STORAGE_UNAVAILABLE`.
 */
export async function endIfDecided(context: ExecutionContext, one: OpenOrder): Promise<boolean> {
  const decided = await decide(context, one)
  if (decided === null) return false
  // First the ledger: what is cut off in between is done once more, and changes nothing.
  await settleOrder(context, one, { isFilled: decided.status === 'filled', fill: decided.fill })
  await recordEnd(context, one, decided)
  return true
}

type Decided = Pick<OrderFacts, 'fill'> & {
  readonly status: Exclude<OrderFacts['status'], 'open'>
  readonly blockNumber: bigint
}

async function decide(context: ExecutionContext, one: OpenOrder): Promise<Decided | null> {
  const { engine, chain } = context
  const head = await engine.rpc.head(chain)
  const blockNumber = settledBlock(chain, head.number)
  const seen = await Promise.all(
    engine.rpc.each(chain).map((client) =>
      readSettled(context, one, { client, blockNumber }).catch((error: unknown) => {
        if (error instanceof ToolError && error.code === 'STORAGE_UNAVAILABLE') throw error
        engine.log.warn('order.unread', { chainId: chain.id, requestId: one.requestId, orderId: one.orderId, error })
        return null
      }),
    ),
  )
  const fill = seen.find((view) => view?.facts.fill)?.facts.fill ?? null
  const filled = { status: 'filled', fill, blockNumber } as const
  // One that says otherwise leaves it open: what one endpoint makes up must not end the watch over what is signed.
  if (fill !== null && seen.every((view) => view === null || view.facts.status === 'filled')) return filled
  const [first] = seen
  const lateMs = engine.now() - one.order.deadline * 1_000
  if (first && seen.every((view) => view?.isUnfilled === true && view.hash === first.hash)) {
    const { status } = first.facts
    const isOver = lateMs > graceMs(chain) && Number(head.timestamp) > one.order.deadline
    const isSame = seen.every((view) => view?.facts.status === status)
    if (isSame && (status === 'cancelled' || (status === 'expired' && isOver))) {
      return { status, fill: null, blockNumber }
    }
  }
  if (lateMs <= unprovenMs) return null
  engine.log.error('order.unproven', { chainId: chain.id, requestId: one.requestId, orderId: one.orderId })
  return filled
}

/** What one endpoint shows of a settled block that stays the same meanwhile. */
async function readSettled(
  context: ExecutionContext,
  one: OpenOrder,
  { client, blockNumber }: { readonly client: PublicClient; readonly blockNumber: bigint },
): Promise<{ readonly facts: OrderFacts; readonly isUnfilled: boolean; readonly hash: Hash } | null> {
  const { number, timestamp, hash } = await client.getBlock({ blockNumber })
  const reads = readsOf(context, one, client)
  const facts = await readOrderFacts(reads, one, { number, timestamp })
  const isUnfilled = await provesUnfilled(reads, one, facts)
  const again = await client.getBlock({ blockNumber })
  return again.hash === hash ? { facts, isUnfilled, hash } : null
}

function readsOf({ engine, chain }: ExecutionContext, one: OpenOrder, client: PublicClient): OrderReads {
  return {
    client,
    chain,
    async ownCall(hash) {
      const entry = await onStorage('the journal cannot be read', () => engine.journal.byHash(hash))
      // What the order's own request has signed came before it: it cleared the way for the allowance.
      if (entry === null || entry.requestId === one.requestId || entry.userOperation !== undefined) return null
      if (!isAddressEqual(entry.from, one.wallet)) return null
      const { to, data = '0x' } = parseTransaction(entry.rawTransaction)
      return to == null ? null : { to, data }
    },
  }
}

/** What our own clock must be past a deadline by: the blocks that settle it, twice. */
function graceMs(chain: Chain): number {
  return Math.max(30, 2 * (settledDepth(chain) + 1) * chain.blockTimeSeconds) * 1_000
}

const unprovenMs = 60 * 60 * 1_000

/**
 * A signed order as somebody asks for it: as it ended, else as the newest block has it. One whose nonce is used up while no log says by what
 * is open still: an endpoint may show the logs of a block later than its state. Throws `RPC_*`, `STORAGE_UNAVAILABLE`.
 */
export async function viewOrder(context: ExecutionContext, stored: StoredOrder): Promise<ViewedOrder> {
  const { engine, client, chain } = context
  const one = openOrderOf(stored)
  const ended = outcomeOf(stored)
  if (ended !== null) return { ...one, ...ended, isFinal: true }
  const isDecided = mayWrite(engine) && (await endIfDecided(context, one))
  const head = await engine.rpc.head(chain)
  const { status, fill } = await readOrderFacts(readsOf(context, one, client), one, head)
  const isUnshown = status === 'filled' && fill === null && !isDecided
  return { ...one, status: isUnshown ? 'open' : status, fill, isFinal: isDecided }
}

/** What a server that follows another one sees, that one ends. */
export function mayWrite({ requireLead }: Pick<ExecutionContext['engine'], 'requireLead'>): boolean {
  try {
    requireLead?.()
    return true
  } catch {
    return false
  }
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
