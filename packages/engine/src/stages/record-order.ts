import { type Settled, storeCrossChain } from '@svc/amm'
import type { StoredOrder } from '@svc/store'
import { callFacts } from '../audit/call-outcomes.ts'
import { isolateFailure, onStorage } from '../call/refusal.ts'
import type { Step } from '../call/step.ts'
import type { Progress } from '../context/execution-context.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'
import { usdText } from '../call/amounts.ts'
import type { Reserved } from './reserve-spend.ts'

/**
 * Puts a cross-chain order on disk before the call that opens it is signed, with the reservation that it draws on: its hash is known
 * already, so that whoever starts after a crash follows it, whatever became of the transaction. `null` for every other step.
 */
export async function recordCrossChain(
  context: Reserved,
  progress: Progress,
  { kind }: Step,
): Promise<StoredOrder | null> {
  const { crossChain: order } = context.intent
  if (order === undefined || kind !== 'call') return null
  const operationId = context.engine.newRequestId()
  await auditOrder(context, progress, { operationId, orderId: order.orderId, order })
  return await recordOrder(context, progress, {
    kind: 'cross_chain',
    operationId,
    orderId: order.orderId.toLowerCase(),
    terms: storeCrossChain(order),
    signature: '0x',
    signedAtBlock: progress.valid.snapshotTaken.block.number,
  })
}

/** A cross-chain order as it is on record, from now on known to be opened; one that was opened otherwise is lost, and has counted so. */
export async function placedCrossChain(context: Reserved, isAccepted: boolean): Promise<Pick<Settled, 'order'>> {
  const { engine, call, chain, intent, reservationId } = context
  if (intent.crossChain === undefined) return {}
  const recorded = await onStorage('the orders cannot be read', () => engine.orders.byRequest(call.requestId))
  const stored = recorded.find((one) => one.reservationId === reservationId)
  if (stored === undefined) throw new TypeError('a cross-chain order is on record before its call is signed')
  const { operationId } = stored
  const facts = { requestId: call.requestId, orderId: intent.crossChain.orderId }
  await isolateFailure(engine, 'settle.unrecorded', facts, async () => {
    if (isAccepted) return engine.orders.accept(operationId)
    const cause = `the settler of ${chain.name} took what request ${call.requestId} allowed, and announced another order or none`
    await openBreaker(engine, cause, 'shortfall')
  })
  return { order: { operationId, orderId: intent.crossChain.orderId, isAccepted } }
}

/** The line of the audit log that an order has before anything makes it count. Throws `STORAGE_UNAVAILABLE`. */
export async function auditOrder(
  { engine, call, chain, wallet, intent }: Reserved,
  { reserved, planHash }: Progress,
  named: { readonly operationId?: string; readonly orderId: string; readonly order: object },
): Promise<void> {
  const spendUsd = usdText(reserved.amountUsdMicros)
  const facts = { ...callFacts(call), chainId: chain.id, wallet, ...named, spendUsd }
  await onStorage('the audit log cannot be written', () =>
    engine.audit.append({ event: 'order.intent', ...facts, planHash, why: intent.why }),
  )
}

/** Puts an order on disk with the reservation that it draws on. Throws `STORAGE_UNAVAILABLE`. */
export async function recordOrder(
  { engine, call, chain, wallet, intent, reservationId }: Reserved,
  { reserved }: Progress,
  order: Pick<StoredOrder, 'kind' | 'operationId' | 'orderId' | 'terms' | 'signature' | 'signedAtBlock'>,
): Promise<StoredOrder> {
  return await onStorage('the order cannot be kept', () =>
    engine.orders.record(
      {
        ...order,
        requestId: call.requestId,
        principalId: call.principal.id,
        tool: call.tool,
        chainId: chain.id,
        wallet,
        reservationId,
        why: intent.why,
        spendUsdMicros: reserved.amountUsdMicros,
      },
      { unlessPaused: engine.sharedSwitches !== undefined },
    ),
  )
}
