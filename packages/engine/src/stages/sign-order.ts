import { type Settled, storeOrder, ToolError } from '@svc/amm'
import { orderIdOf, orderTypedData } from '@svc/amm/orders'
import type { StoredOrder } from '@svc/store'
import { callFacts } from '../audit/call-facts.ts'
import { throwFirst } from '../call/refusal.ts'
import { onStorage } from '../call/storage.ts'
import type { Progress } from '../context/execution-context.ts'
import { offerOrder } from '../orders/follow-orders.ts'
import { openOrderOf } from '../orders/open-orders.ts'
import { requireRunning } from '../switches/require-running.ts'
import { usdText } from '../value/countable.ts'
import type { Reserved } from './reserve-spend.ts'
import { settledOf } from './settle.ts'

/**
 * Signs the order of an intent once its allowance is mined: first a line in the audit log, then the typed data is held against the order
 * that passed the pipeline, member by member, and the signature is on disk with the reservation that it draws on before anybody else can
 * have it. From then on it counts, whatever becomes of this process, until the chain has decided.
 */
export async function signOrder(context: Reserved, progress: Progress): Promise<StoredOrder> {
  const { engine, call, chain, wallet, intent, reservationId } = context
  const { order } = intent
  if (order === undefined || engine.signGranted === undefined) {
    throw new ToolError('SIGNATURE_NOT_ALLOWED', 'This wallet signs transactions alone.')
  }
  await requireMay(context)
  const { quote: _quote, ...terms } = order
  const orderId = orderIdOf(order, wallet)
  const spendUsd = usdText(progress.reserved.amountUsdMicros)
  const facts = { ...callFacts(call), chainId: chain.id, wallet, orderId, order: terms, spendUsd }
  await onStorage('the audit log cannot be written', () =>
    engine.audit.append({ event: 'order.intent', ...facts, planHash: progress.planHash, why: intent.why }),
  )
  const { snapshotTaken } = progress.valid
  const signature = await engine.signGranted(
    orderTypedData(order, { chainId: chain.id, permit2: chain.permit2, wallet }),
    {
      chain,
      wallet,
      nowSeconds: snapshotTaken.atSeconds,
      spenders: none,
      registries: none,
      reactors: new Set(chain.orderReactor === undefined ? [] : [chain.orderReactor.toLowerCase()]),
      siweDomains: none,
      grants: [{ kind: 'order', order }],
    },
  )
  // A signature made elsewhere takes its time; nobody has this one yet.
  await requireMay(context)
  return await onStorage('the order cannot be kept', () =>
    engine.orders.record({
      operationId: engine.newRequestId(),
      orderId,
      requestId: call.requestId,
      principalId: call.principal.id,
      tool: call.tool,
      chainId: chain.id,
      wallet,
      reservationId,
      why: intent.why,
      spendUsdMicros: progress.reserved.amountUsdMicros,
      terms: storeOrder(order),
      signature,
      signedAtBlock: progress.mined.at(-1)?.receipt.blockNumber ?? snapshotTaken.block.number,
    }),
  )
}

/** Hands a signed order over. It is on record, so nothing that fails here reads as if nothing had been signed. */
export async function submitSigned(context: Reserved, progress: Progress, stored: StoredOrder): Promise<Settled> {
  const { engine } = context
  const order = openOrderOf(stored)
  const { operationId, orderId, requestId } = order
  const isAccepted = await offerOrder(context, order).catch((error: unknown) => {
    engine.log.warn('order.unsubmitted', { requestId, orderId, error })
    return false
  })
  return { ...settledOf(context, progress, new Map(), []), order: { operationId, orderId, isAccepted } }
}

async function requireMay({ engine }: Reserved): Promise<void> {
  engine.requireOpen()
  throwFirst((await requireRunning(engine, () => false)).refusals)
}

const none: ReadonlySet<string> = new Set()
