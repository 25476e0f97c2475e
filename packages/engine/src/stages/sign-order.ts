import { type Settled, storeOrder, ToolError, storeCrossChain } from '@svc/amm'
import { orderIdOf, orderTypedData } from '@svc/amm/orders'
import type { StoredOrder } from '@svc/store'
import { throwFirst, isolateFailure, onStorage, type Refusal, type Weighed } from '../call/refusal.ts'
import type { Progress } from '../context/execution-context.ts'
import { offerOrder, endIfDecided } from '../orders/follow-orders.ts'
import { openOrderOf, type OpenOrder, openOrders } from '../orders/settle-order.ts'
import { requireRunning } from '../switches/signing-state.ts'
import type { Reserved } from './reserve-spend.ts'
import { settledOf } from './settled-of.ts'
import { callFacts } from '../audit/call-outcomes.ts'
import type { Step } from '../call/step.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'
import { usdText } from '../call/amounts.ts'
import { isAddressEqual } from 'viem'
import { endCrossChainIfDecided } from '../cross-chain/follow-cross-chain.ts'
import { openCrossChainOrders } from '../cross-chain/open-cross-chain.ts'
import type { Checked } from './prepare.ts'

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
async function auditOrder(
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
async function recordOrder(
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

/**
 * A signed order lives by the allowance of Permit2 that was made for it. Whatever needs one of the same token would change that, and take it
 * back when it is done, so it waits until the chain has decided on the order. Taking such an allowance away is never refused. Nor do two
 * orders share a nonce: what uses up that of one would tell nothing of the other.
 */
export async function requireNoOrder(checked: Checked): Promise<Weighed> {
  const { engine, chain, wallet, allowances, intent } = checked
  const crossing = await crossingOf(checked)
  if (crossing !== null) return { refusals: [crossing] }
  const needed = allowances.filter(({ spender, amount }) => amount > 0n && isAddressEqual(spender, chain.permit2))
  if (needed.length === 0) return { refusals: [] }
  const open = (await openOrders(engine, chain)).filter((one) => isAddressEqual(one.wallet, wallet))
  for (const one of open) {
    const isSame = needed.some(({ token }) => isAddressEqual(token, one.order.tokenIn))
    const isSameNonce = one.order.nonce === intent.order?.nonce
    if (!(isSame || isSameNonce) || (await endIfDecided(checked, one))) continue
    return { refusals: [isSame ? openOrder(one) : sharedNonce(one)] }
  }
  return { refusals: [] }
}

/** What comes back from a settler tells no orders apart: no two of one token are open at a time. */
async function crossingOf(checked: Checked): Promise<Refusal | null> {
  const { engine, chain, wallet, intent } = checked
  if (intent.crossChain === undefined) return null
  for (const one of await openCrossChainOrders(engine, chain)) {
    const isSame =
      isAddressEqual(one.order.inputToken, intent.crossChain.inputToken) && isAddressEqual(one.wallet, wallet)
    if (!isSame || (await endCrossChainIfDecided(checked, one, { mayBeOnItsWay: true }))) continue
    const { operationId, orderId, order } = one
    const expiresAt = new Date(order.fillDeadline * 1_000).toISOString()
    return {
      code: 'ORDER_OPEN',
      message: 'A cross-chain order that puts in this token is open on this chain.',
      details: [{ message: 'the order', operationId, orderId, token: order.inputToken, expiresAt }],
      suggestion: 'Wait until it is filled, or until what was put in has come back: get_operation follows it.',
    }
  }
  return null
}

function openOrder({ order, operationId, orderId }: OpenOrder): Refusal {
  const expiresAt = new Date(order.deadline * 1_000).toISOString()
  return {
    code: 'ORDER_OPEN',
    message: 'A signed order sells this token by the allowance of Permit2 that this call needs for itself.',
    details: [{ message: 'the order', operationId, orderId, token: order.tokenIn, expiresAt }],
  }
}

function sharedNonce({ order, operationId, orderId }: OpenOrder): Refusal {
  const message = 'The order on offer has the nonce of another that is open.'
  return {
    code: 'UNSAFE_TRANSACTION',
    message,
    details: [{ field: 'order.nonce', message, offered: `${order.nonce}`, operationId, orderId }],
  }
}
