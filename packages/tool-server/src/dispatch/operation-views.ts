import { formatAmount } from '@svc/lp-math'
import type { Operation, StoredOrder } from '@svc/store'
import { requireAccess } from './offered-tools.ts'
import {
  type Call,
  type OperationActions,
  type OperationReads,
  type OperationsQuery,
  type OperationSummary,
  type OperationView,
  orderStateOf,
  type ViewedCrossChain,
  type ViewedOrder,
} from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import { readCrossChain, readOrder, ToolError } from '@svc/amm'
import { answerOf, carryOn, carryOut, type CarryOutDeps, hasStopped } from './carry-out.ts'

/** The stored writes of one caller as tools see them. Without a wallet there are none. */
export function operationReads(principal: Call['principal'], deps: CarryOutDeps | null): OperationReads {
  return Object.freeze({
    get: async (id: string) => {
      const { operations } = requireDeps(deps)
      const order = await operations.order({ operationId: id }, principal)
      if (order === null) {
        const operation = await operations.find(id, principal)
        return viewOf(operation, await operations.ordersOf([operation], principal))
      }
      return order.kind === 'cross_chain' ? crossChainViewOf(order) : orderViewOf(order)
    },
    order: async ({ id: chainId }: Chain, orderId: Hash) => {
      const order = await requireDeps(deps).operations.order({ chainId, orderId: lower(orderId) }, principal)
      if (order?.kind === 'uniswapx') return order
      throw new ToolError('ORDER_NOT_FOUND', 'No order of this caller has this id on this chain.', {
        details: [{ field: 'orderId', message: 'Accepted: the orderId of an answer of submit_uniswapx_order.' }],
      })
    },
    list: async (query: OperationsQuery) => {
      const { operations } = requireDeps(deps)
      const found = await operations.list(principal, query)
      const stored = found.flatMap((one) => ('operation' in one ? [one.operation] : []))
      const orders = await operations.ordersOf(stored, principal)
      return found.map((one) => ('operation' in one ? summaryOf(one.operation, orders) : recordOf(one.order)))
    },
  })
}

/** The same with what may be done to them, for the call that does it. */
export function operationActions(call: Call, deps: CarryOutDeps): OperationActions {
  const { operations } = deps
  return Object.freeze({
    ...operationReads(call.principal, deps),
    carryOut: async (id: string, planHash: string | null) => {
      const operation = await operations.find(id, call.principal)
      if (planHash !== null && planHash !== operation.planHash) {
        const details = [{ field: 'planHash', message: 'Not the hash of this plan.' }]
        throw new ToolError('OPERATION_CHANGED', 'The plan hash is not that of the operation.', { details })
      }
      const carry = hasStopped(operation, deps) ? carryOn : carryOut
      return answerOf(await carry(operation, call, deps))
    },
    cancel: async (id: string) => {
      const operation = await operations.find(id, call.principal)
      requireAccess(deps.tool(operation.tool), call.principal)
      return summaryOf(await operations.cancel(operation, `agent:${call.principal.id}`))
    },
  })
}

function requireDeps(deps: CarryOutDeps | null): CarryOutDeps {
  if (deps !== null) return deps
  throw new ToolError('WALLET_NOT_CONFIGURED', 'Without a wallet there are no operations.')
}

/** @param orders the orders that operations became, where they are known */
function summaryOf(operation: Operation, orders: ReadonlyMap<string, string> = new Map()): OperationSummary {
  const { id, state, tool, chainId, spendUsdMicros, createdAt, expiresAt, executeAfter } = operation
  const { why } = record(operation.plan)
  return {
    operationId: id,
    state,
    tool,
    chainId,
    why: typeof why === 'string' ? why : '',
    spendUsd: formatAmount(spendUsdMicros, 6),
    createdAt: iso(createdAt),
    expiresAt: isoOrNull(expiresAt),
    executeAfter: isoOrNull(executeAfter),
    becameOperationId: becameOf(operation) ?? orders.get(id) ?? null,
  }
}

/** Carrying a plan out may end in a request for approval, which counts as its failure, or in a write that is scheduled. */
function becameOf({ id, answer }: Operation): string | null {
  const { code, details, status, operationId } = answer === null ? {} : record(answer)
  const asked = code === 'APPROVAL_REQUIRED' && Array.isArray(details) ? storedAs(details[0]) : null
  const became = asked ?? (status === 'scheduled' ? operationId : null)
  return typeof became === 'string' && became !== id ? became : null
}

function storedAs(detail: unknown): unknown {
  return typeof detail === 'object' && detail !== null && 'operationId' in detail ? detail.operationId : null
}

function viewOf(operation: Operation, orders: ReadonlyMap<string, string>): OperationView {
  const { state, planHash, decidedBy, decidedAt, plan, answer } = operation
  return {
    ...summaryOf(operation, orders),
    planHash,
    decidedBy,
    decidedAt: isoOrNull(decidedAt),
    plan: record(plan),
    result: state === 'done' && answer !== null ? record(answer) : null,
    error: state === 'failed' && answer !== null ? record(answer) : null,
  }
}

/** What stands for a plan of it is what was signed. */
function orderViewOf(viewed: ViewedOrder): OperationView {
  const { status, order, orderId } = viewed
  const { quote: _quote, ...terms } = order
  const expiresAt = iso(order.deadline * 1_000)
  return { ...placedViewOf(viewed, { state: status, expiresAt }, { orderId, terms }), order: viewed }
}

/** What stands for a plan of it is what was opened. */
function crossChainViewOf(viewed: ViewedCrossChain): OperationView {
  const { status, order, orderId } = viewed
  const expiresAt = iso(order.fillDeadline * 1_000)
  return { ...placedViewOf(viewed, { state: status, expiresAt }, { orderId, terms: order }), crossChain: viewed }
}

function placedViewOf(
  viewed: ViewedOrder | ViewedCrossChain,
  now: Pick<OperationSummary, 'state' | 'expiresAt'>,
  { orderId, terms }: { readonly orderId: string; readonly terms: object },
): OperationView {
  return {
    ...placedOf(viewed, now),
    planHash: orderId,
    decidedBy: null,
    decidedAt: null,
    plan: Object.fromEntries(Object.entries(terms).map(([name, value]) => [name, `${value}`])),
    result: null,
    error: null,
  }
}

/** An order as its row has it. */
function recordOf(order: StoredOrder): OperationSummary {
  return placedOf(order, { state: orderStateOf(order.state), expiresAt: iso(deadlineOf(order) * 1_000) })
}

function deadlineOf({ kind, terms }: StoredOrder): number {
  return kind === 'cross_chain' ? readCrossChain(terms).fillDeadline : readOrder(terms).deadline
}

function placedOf(
  { operationId, tool, chainId, why, spendUsdMicros, signedAt }: Omit<StoredOrder, 'kind' | 'state'>,
  { state, expiresAt }: Pick<OperationSummary, 'state' | 'expiresAt'>,
): OperationSummary {
  return {
    operationId,
    state,
    tool,
    chainId,
    why,
    spendUsd: formatAmount(spendUsdMicros, 6),
    createdAt: iso(signedAt),
    expiresAt,
    executeAfter: null,
    becameOperationId: null,
  }
}

function lower(hash: Hash): Hash {
  return `0x${hash.slice(2).toLowerCase()}`
}

function record(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function iso(at: number): string {
  return new Date(at).toISOString()
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at)
}
