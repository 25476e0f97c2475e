import { type ErrorDetail, type Intent, readIntent, ToolError } from '@svc/amm'
import type { Operation, OperationState, OrderEnd, StoredOrder } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import type { ViewedCrossChain } from '../cross-chain/open-cross-chain.ts'
import type { ViewedOrder } from '../orders/settle-order.ts'
import type { Principal } from '../call/call.ts'
import { plannedAmount, plannedCall, plannedDeposit, plannedStep, planSchema } from '@svc/amm/plan'
import * as z from 'zod'

/** Every state a stored write may be in. */
export const operationStates = [
  'planned',
  'awaiting_approval',
  'approved',
  'denied',
  'scheduled',
  'running',
  'done',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly OperationState[]

/** Every state an order may be in on record: open until a settled block has decided. */
export const orderStates = [
  'open',
  'filled',
  'expired',
  'cancelled',
  'refunded',
  'unopened',
  'lost',
] as const satisfies readonly ('open' | OrderEnd)[]

type OrderState = (typeof orderStates)[number]

/** What a tool may know of the caller's stored writes. Another caller's answer like unknown ones. */
export type OperationReads = {
  /** A signed order goes by its own operation. Throws `OPERATION_NOT_FOUND`, and of an order `RPC_*`. */
  get(id: string): Promise<OperationView>
  /** A signed order by its hash, as the chain has it now. Throws `ORDER_NOT_FOUND`, `RPC_*`. */
  order(chain: Chain, orderId: Hash): Promise<ViewedOrder>
  /** Stored writes and orders, newest first, without plans and answers, as they are on record. */
  list(query: OperationsQuery): Promise<readonly OperationSummary[]>
}

export type OperationsQuery = {
  /** `null` for all. */
  readonly state: OperationState | OrderState | null
  readonly limit: number
}

/** What the tools that act on stored writes may do with them. */
export type OperationActions = OperationReads & {
  /**
   * Carries a plan or an approved operation out, once, and gives what its tool answers. `planHash`, where given, must be
   * its own. Throws `OPERATION_NOT_FOUND`, `OPERATION_CHANGED`, `OPERATION_STATE`, `INSUFFICIENT_KEY_TIER` before it is
   * taken, and afterwards whatever the pipeline refuses it with.
   */
  carryOut(id: string, planHash: string | null): Promise<Readonly<Record<string, unknown>>>
  /** The same again changes nothing. Throws `OPERATION_NOT_FOUND`, `OPERATION_STATE`, `INSUFFICIENT_KEY_TIER`. */
  cancel(id: string): Promise<OperationSummary>
}

/** A stored write in plain JSON; times are ISO 8601. */
export type OperationSummary = {
  readonly operationId: string
  readonly state: OperationState | ViewedOrder['status'] | ViewedCrossChain['status']
  readonly tool: string
  readonly chainId: number
  readonly why: string
  readonly spendUsd: string
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly executeAfter: string | null
  /** The request for approval, the scheduled write or the order that it became when it was to be carried out. */
  readonly becameOperationId: string | null
}

export type OperationView = OperationSummary & {
  readonly planHash: string
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  /** What was shown when it was stored. */
  readonly plan: Readonly<Record<string, unknown>>
  /** What its tool answered, once it is done. */
  readonly result: Readonly<Record<string, unknown>> | null
  /** The error envelope, once it has failed. */
  readonly error: Readonly<Record<string, unknown>> | null
  /** Where it is a signed order. */
  readonly order?: ViewedOrder
  /** Where it is a cross-chain order. */
  readonly crossChain?: ViewedCrossChain
}

/** What a person is asked through the client. Everything in it is ours but the symbols of unlisted tokens in the plan. */
export type ApprovalQuestion = {
  readonly operationId: string
  readonly planHash: string
  readonly tool: string
  /** Unix milliseconds after which an answer comes too late. */
  readonly expiresAt: number | null
  /** As it is stored: an earlier version may have written it. */
  readonly plan: StoredPlan
  /** Decimal US dollars that count against the limits. */
  readonly spendUsd: string
  /** How many others of the same caller await a decision. */
  readonly othersWaiting: number
}

/** How a person answered: `cancelled` is no answer, the operation goes on waiting. */
export type ApprovalReply = 'accepted' | 'declined' | 'cancelled'

/** An answer that came with a later call: to which question, and what it was. */
export type ApprovalAnswer = {
  readonly operationId: string
  readonly planHash: string
  readonly accepted: boolean
}

/** The stored writes of the server, in the terms of the pipeline: whatever fails is a `ToolError`. */
export type OperationsPipeline = {
  /** Whether a person at the client may approve, as the policy was last read: says who answers a request, counts no word. */
  asksClient(): boolean
  /** Whether a person at the client may approve now. Throws `POLICY_INVALID`, `STORAGE_UNAVAILABLE`. */
  takesClient(): Promise<boolean>
  /** The signed order under an operation, or under a hash on a chain, of a principal; `null` where there is none. Throws `RPC_*`. */
  order(
    of: { readonly operationId: string } | { readonly chainId: number; readonly orderId: Hash },
    principal: Pick<Principal, 'id'>,
  ): Promise<ViewedOrder | ViewedCrossChain | null>
  /** Throws `OPERATION_NOT_FOUND`, also for another principal's. */
  find(id: string, principal: Pick<Principal, 'id'>): Promise<Operation>
  /** Both by one limit, newest first. */
  list(
    principal: Pick<Principal, 'id'>,
    query: OperationsQuery,
  ): Promise<readonly ({ readonly operation: Operation } | { readonly order: StoredOrder })[]>
  /** The operation of the order that carrying each of these out has signed, by its own id; those that signed none are left out. */
  ordersOf(operations: readonly Operation[], principal: Pick<Principal, 'id'>): Promise<ReadonlyMap<string, string>>
  /**
   * Takes it for one request, once; with `goesOn` also one that signed something and failed on its way less than 24 hours ago,
   * for the request that it was taken for then. A word that came over a channel which the policy does not name now ends it. Throws
   * `OPERATION_STATE`, `OPERATION_EXPIRED`, `APPROVAL_REQUIRED`, `APPROVAL_DENIED`, `POLICY_INVALID`.
   */
  take(operation: Operation, requestId: string, goesOn?: boolean): Promise<Operation>
  /** A result that was answered. Never rejects: what cannot be recorded is logged. */
  finish(operation: Operation, result: Readonly<Record<string, unknown>>): Promise<void>
  /**
   * A failure that was answered: ends it, or puts it back when nothing was signed and the failure passes (an endpoint
   * that is down, a paused server). Never rejects. True when it was put back.
   */
  fail(operation: Operation, error: unknown): Promise<boolean>
  /** A person's word. Throws `OPERATION_STATE`, `OPERATION_EXPIRED`, `OPERATION_CHANGED`. */
  decide(operation: Operation, word: { approved: boolean; by: string; planHash: string }): Promise<Operation>
  cancel(operation: Operation, by: string): Promise<Operation>
  /** How many of a principal await a person's word. */
  awaiting(principal: Pick<Principal, 'id'>): Promise<number>
  /** Those whose time has come: principals take turns. */
  due(limit: number): Promise<readonly Operation[]>
  /** Who asked, as it was then. */
  principalOf(operation: Operation): Principal
}

/** What became of what a request signed. */
export type Sent = {
  readonly details: readonly ErrorDetail[]
  /** What it came to, half a sentence, and what to do now, once everything is decided; `null` while anything is open. */
  readonly end: { readonly isCancelled: boolean; readonly message: string; readonly suggestion: string } | null
}

export type Doubt = {
  /** Whether nothing of a request may have an effect but bytes that were declined. */
  isOpen(requestId: string): Promise<boolean>
  /** Whether all that a request signed is proved never to be mined. */
  isProvedDead(requestId: string): Promise<boolean>
  /** Asks the chain what became of what is open. */
  lookAgain(): Promise<unknown>
}

/**
 * The intent of a stored operation. What another version of the server has stored may ask for what this one does not know, a person's
 * word among it: it is not carried out in part. Throws `OPERATION_STATE` then.
 */
export function readPlanned({ id, intent }: Pick<Operation, 'id' | 'intent'>): Intent {
  try {
    return readIntent(intent)
  } catch (cause) {
    const message = `The plan ${id} was stored by another version of this server, and this one cannot read it whole. It is not carried out.`
    const suggestion =
      'This call signed nothing. Call its tool again for a new plan, which asks a person where one must decide.'
    throw new ToolError('OPERATION_STATE', message, { cause, suggestion })
  }
}

/** The state of an order that its row tells: nothing is asked of a chain. */
export function orderStateOf(state: StoredOrder['state']): OrderState {
  return state === 'signed' || state === 'accepted' ? 'open' : state
}

/** Reads the plan of an operation's row: the members a person is shown. Throws when it is none. */
export function readStoredPlan(json: string): StoredPlan {
  return schema.parse(JSON.parse(json))
}

export type StoredPlan = z.output<typeof schema>

const { shape } = planSchema

/** Members with a fallback are missing in rows that an earlier version wrote. */
const amount = plannedAmount.extend({
  usd: plannedAmount.shape.usd.default(null),
  raw: plannedAmount.shape.raw.nullable().default(null),
  decimals: plannedAmount.shape.decimals.default(null),
  isListed: plannedAmount.shape.isListed.default(false),
})
const amounts = z.array(amount)

const dollars = z.string().regex(/^\d{1,30}(\.\d{1,2})?$/)

const call = plannedCall.extend({
  amounts: z.record(z.string(), amount).default({}),
  contracts: plannedCall.shape.contracts.default({}),
})

const step = plannedStep
  .omit({ selector: true })
  .extend({ valueWei: z.string().regex(/^\d{1,78}$/), calls: z.array(call) })

const schema = planSchema.pick({ why: true, gasCostUsd: true }).extend({
  steps: z.array(step),
  deltas: amounts,
  bounds: z.object({ spendsAtMost: amounts, receivesAtLeast: amounts }),
  deposits: z.array(plannedDeposit.omit({ tickLower: true, tickUpper: true })).default([]),
  values: z.object({ leavesUsd: dollars, arrivesUsd: dollars, arrivesAtWorstUsd: dollars }).nullable().default(null),
  warnings: shape.warnings.default([]),
  gasCostAtMost: shape.gasCostAtMost.nullable().default(null),
  gasCostAtMostUsd: shape.gasCostAtMostUsd.default(null),
  chain: shape.chain.nullable().default(null),
  policy: z.object({ conditions: z.array(z.object({ message: z.string() })) }),
})
