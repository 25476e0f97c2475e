import { type Settled, storeOrder, ToolError } from '@svc/amm'
import { orderIdOf, orderTypedData } from '@svc/amm/orders'
import type { StoredOrder } from '@svc/store'
import { throwFirst } from '../call/refusal.ts'
import type { Progress } from '../context/execution-context.ts'
import { offerOrder } from '../orders/follow-orders.ts'
import { openOrderOf } from '../orders/settle-order.ts'
import { requireRunning } from '../switches/require-running.ts'
import { auditOrder, recordOrder } from './record-order.ts'
import type { Reserved } from './reserve-spend.ts'
import { settledOf } from './settled-of.ts'

/**
 * Signs the order of an intent once its allowance is mined: first a line in the audit log, then the typed data is held against the order
 * that passed the pipeline, member by member, and the signature is on disk with the reservation that it draws on before anybody else can
 * have it. From then on it counts, whatever becomes of this process, until the chain has decided.
 */
export async function signOrder(context: Reserved, progress: Progress): Promise<StoredOrder> {
  const { engine, chain, wallet, intent } = context
  const { order } = intent
  if (order === undefined || engine.signGranted === undefined) {
    throw new ToolError('SIGNATURE_NOT_ALLOWED', 'This wallet signs transactions alone.')
  }
  await requireMay(context)
  const { quote: _quote, ...terms } = order
  const orderId = orderIdOf(order, wallet)
  await auditOrder(context, progress, { orderId, order: terms })
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
  return await recordOrder(context, progress, {
    kind: 'uniswapx',
    operationId: engine.newRequestId(),
    orderId,
    terms: storeOrder(order),
    signature,
    signedAtBlock: progress.mined.at(-1)?.receipt.blockNumber ?? snapshotTaken.block.number,
  })
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
