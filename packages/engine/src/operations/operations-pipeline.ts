import { type Operation, type Operations, type SignedOrders, type StoredOrder, StoreError } from '@svc/store'
import { type Principal, readPrincipal } from '../call/call.ts'
import { type ErrorCode, ToolError } from '@svc/amm'
import type { ViewedCrossChain } from '../cross-chain/open-cross-chain.ts'
import type { ViewedOrder } from '../orders/settle-order.ts'
import {
  operationStates,
  type OperationsPipeline,
  type OperationsQuery,
  orderStates,
  orderStateOf,
} from './operations.ts'
import type { AuditEventName, AuditLog } from '../audit/audit.ts'
import type { DecisionRecorder } from '../switches/decision-recorder.ts'
import { type PipelineLog, onStorage, refusedByStore } from '../call/refusal.ts'
import type { Policy } from '../policy/policy.ts'
import { requireChannel } from './needed-approval.ts'

/** The stored writes of the server as the pipeline of a call uses them: by owner, with our own errors, on the record. */
export function createOperationsPipeline(options: OperationsPipelineOptions): OperationsPipeline {
  const { operations, audit } = options
  const change = (id: string, work: () => Promise<Operation>, goesOn = false) => ownErrors(operations, id, work, goesOn)
  return Object.freeze({
    asksClient: () => options.policy().approvals.channels.includes('client'),
    takesClient: async () => (await options.policyNow()).approvals.channels.includes('client'),
    order: async (of, principal) => {
      const stored = await onStorage('the orders cannot be read', () =>
        'operationId' in of
          ? options.orders.byOperation(of.operationId)
          : options.orders.byOrder(of.chainId, of.orderId),
      )
      return stored === null || stored.principalId !== principal.id ? null : await options.viewOrder(stored)
    },
    find: async (id: string, principal: Pick<Principal, 'id'>) => {
      const operation = await onStorage('the operations cannot be read', () => operations.byId(id))
      if (operation === null || operation.principalId !== principal.id) throw notFound()
      return operation
    },
    list: (principal, query) =>
      onStorage('the operations cannot be read', () => listBoth(options, { principalId: principal.id, ...query })),
    ordersOf: async (carriedOut, principal) => {
      const idOf = new Map(
        carriedOut.flatMap(({ id, requestId }) => (requestId === null ? [] : [[requestId, id] as const])),
      )
      const signed = await onStorage('the orders cannot be read', () =>
        options.orders.list({ principalId: principal.id, requestIds: [...idOf.keys()], limit: idOf.size }),
      )
      return new Map(signed.map(({ requestId, operationId }) => [idOf.get(requestId) ?? '', operationId]))
    },
    take: async (operation, requestId, goesOn = false) => {
      if (goesOn && !(await signedSomething(options, operation))) throw wrongState(operation, goesOn)
      const taken = await change(operation.id, () => operations.claim(operation.id, { requestId, goesOn }), goesOn)
      try {
        requireChannel(taken, await options.policyNow())
        await onStorage('the audit log cannot be written', () => options.decisions.record(taken))
        return taken
      } catch (error) {
        await fail(options, taken, error)
        throw error
      }
    },
    finish: async (operation, result) => {
      const answer = JSON.stringify(result)
      await recorded(options, operation, () => operations.finish(operation.id, { state: 'done', answer }))
    },
    fail: (operation, error) => fail(options, operation, error),
    decide: async (operation, word) => {
      const decided = await change(operation.id, () => operations.decide(operation.id, word))
      const { approved, by } = word
      await note(audit, 'tx.approval.decided', decided, { approved, by, planHash: decided.planHash })
      return decided
    },
    cancel: async (operation, by) => {
      const cancelled = await change(operation.id, () => operations.cancel(operation.id, by))
      await note(audit, 'operation.cancelled', cancelled, { by })
      return cancelled
    },
    awaiting: async (principal) => {
      const asked = { principalId: principal.id, states: ['awaiting_approval'] } as const
      const counts = await onStorage('the operations cannot be read', () => operations.count(asked))
      return counts.reduce((sum, { count }) => sum + count, 0)
    },
    due: (limit) => onStorage('the operations cannot be read', () => operations.due(limit)),
    principalOf: ({ principal }) => readPrincipal(principal),
  } satisfies OperationsPipeline)
}

export type OperationsPipelineOptions = {
  readonly operations: Operations
  readonly orders: Pick<SignedOrders, 'byOperation' | 'byOrder' | 'list'>
  /** As the chain has it now. */
  readonly viewOrder: (stored: StoredOrder) => Promise<ViewedOrder | ViewedCrossChain>
  readonly audit: Pick<AuditLog, 'append'>
  /** Puts the operator's word on record before it is acted on. */
  readonly decisions: Pick<DecisionRecorder, 'record'>
  /** The common policy as last read. */
  readonly policy: () => Policy
  /** As it holds now. */
  readonly policyNow: () => Promise<Policy>
  readonly log: PipelineLog
  /** Unix milliseconds. */
  readonly now: () => number
  /** Whether a request has signed anything that went out, or still may. */
  readonly hasSigned: (requestId: string) => Promise<boolean>
}

async function listBoth(
  { operations, orders }: Pick<OperationsPipelineOptions, 'operations' | 'orders'>,
  { principalId, state, limit }: OperationsQuery & { readonly principalId: string },
) {
  const [stored, signed] = await Promise.all([
    operations.list({ principalId, limit, states: operationStates.filter((one) => state === null || one === state) }),
    orders.list({
      principalId,
      limit,
      states: recordedStates.filter((one) => state === null || orderStateOf(one) === state),
    }),
  ])
  const both = [
    ...stored.map((operation) => ({ operation, at: operation.createdAt })),
    ...signed.map((order) => ({ order, at: order.signedAt })),
  ]
  return both.toSorted((one, other) => other.at - one.at).slice(0, limit)
}

const recordedStates = ['signed', 'accepted', ...orderStates.filter((state) => state !== 'open')] as const

/** How long after its time an operation is tried again before it is given up. */
const triedForMs = 24 * 60 * 60 * 1000

async function fail(options: OperationsPipelineOptions, operation: Operation, error: unknown): Promise<boolean> {
  const { operations, log, now, hasSigned } = options
  const { id, requestId, executeAfter } = operation
  const known =
    error instanceof ToolError ? error : new ToolError('INTERNAL', 'Something went wrong inside the server.')
  const isLate = executeAfter !== null && now() > executeAfter + triedForMs
  const isBack = await recorded(options, operation, async () => {
    const passes = passing.has(known.code) && !isLate && requestId !== null && !(await hasSigned(requestId))
    if (passes) await operations.giveBack(id)
    else await operations.finish(id, { state: 'failed', answer: JSON.stringify(known.toJSON()) })
    return passes
  })
  log.info('operation.failed', { operationId: id, requestId, code: known.code, isBack: isBack === true })
  return isBack === true
}

/** Failures that say nothing about the operation itself: it can be taken again when they have passed. */
const passing: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RPC_UNAVAILABLE',
  'RPC_TIMEOUT',
  'RPC_STALE',
  'RPC_REFUSED',
  'SIMULATION_UNAVAILABLE',
  'PRICE_UNAVAILABLE',
  'POSITION_TOO_NEW',
  'SERVER_PAUSED',
  'NOT_LEADER',
  'POLICY_INVALID',
  'CIRCUIT_BREAKER_OPEN',
  'WALLET_BUSY',
  'SERVER_BUSY',
  'STORAGE_UNAVAILABLE',
  'TRANSACTION_NOT_SENT',
  'CANCELLED',
  'OPERATION_LIMIT',
])

/** The store's refusals in our own words; it is read again for why. */
async function ownErrors(
  operations: Operations,
  id: string,
  work: () => Promise<Operation>,
  goesOn: boolean,
): Promise<Operation> {
  try {
    return await work()
  } catch (cause) {
    const refused = refusedByStore(cause)
    if (refused !== null) throw refused
    if (!(cause instanceof StoreError)) {
      throw new ToolError('STORAGE_UNAVAILABLE', 'The operation cannot be changed now.', { cause })
    }
    if (cause.code === 'OPERATION_UNKNOWN') throw notFound()
    if (cause.code === 'OPERATION_CHANGED') {
      throw new ToolError('OPERATION_CHANGED', 'The plan hash is not that of the operation.', { cause })
    }
    if (cause.code !== 'OPERATION_STATE') {
      throw new ToolError('STORAGE_UNAVAILABLE', 'The operation cannot be changed now.', { cause })
    }
    const now = await onStorage('the operations cannot be read', () => operations.byId(id))
    throw now === null ? notFound() : wrongState(now, goesOn)
  }
}

async function signedSomething({ hasSigned }: OperationsPipelineOptions, { requestId }: Operation): Promise<boolean> {
  return requestId !== null && (await onStorage('the journal cannot be read', () => hasSigned(requestId)))
}

function wrongState(operation: Operation, goesOn: boolean): ToolError {
  const { id: operationId, tool, state, planHash } = operation
  const expiresAt = isoOrNull(operation.expiresAt)
  const executeAfter = isoOrNull(operation.executeAfter)
  const details = [{ message: 'The operation as it is.', operationId, state, planHash, expiresAt, executeAfter }]
  if (state === 'awaiting_approval') {
    return new ToolError('APPROVAL_REQUIRED', 'Nobody has approved this operation yet.', {
      details,
      suggestion:
        executeAfter === null
          ? 'Ask the operator to approve it, then call execute_plan again; get_operation shows its state.'
          : 'Ask the operator to approve it; it then runs by itself when its time has come. get_operation shows its state.',
    })
  }
  if (state === 'denied') return new ToolError('APPROVAL_DENIED', 'A person has denied this operation.', { details })
  if (state === 'expired') return new ToolError('OPERATION_EXPIRED', 'The operation has expired.', { details })
  if (state === 'scheduled') {
    return new ToolError('OPERATION_STATE', 'The operation is scheduled and runs by itself when its time comes.', {
      details,
    })
  }
  if (goesOn && state === 'failed') {
    const message = 'The operation cannot be gone on with: it signed nothing, or it stopped 24 hours ago or earlier.'
    const suggestion = `Call ${tool} anew, under a new idempotencyKey; get_operation shows what became of this one.`
    return new ToolError('OPERATION_STATE', message, { details, suggestion })
  }
  return new ToolError('OPERATION_STATE', `The operation cannot be taken or changed any more: it is ${state}.`, {
    details,
  })
}

function notFound(): ToolError {
  return new ToolError('OPERATION_NOT_FOUND', 'There is no operation or plan of yours with this id.')
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

async function note(
  audit: Pick<AuditLog, 'append'>,
  event: AuditEventName,
  { id, tool, principalId }: Operation,
  facts: Readonly<Record<string, unknown>>,
): Promise<void> {
  await onStorage('the audit log cannot be written', () =>
    audit.append({ event, operationId: id, tool, actor: { principal: principalId }, ...facts }),
  )
}

/** The caller hears what happened whether or not it could be recorded; the next start sees to what was not. */
async function recorded<Value>(
  { log }: OperationsPipelineOptions,
  { id, requestId }: Operation,
  work: () => Promise<Value>,
): Promise<Value | null> {
  try {
    return await work()
  } catch (error) {
    log.error('operation.unrecorded', { operationId: id, requestId, error })
    return null
  }
}
