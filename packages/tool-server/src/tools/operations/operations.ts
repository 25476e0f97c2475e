import * as z from 'zod'
import { readTool, operationTool } from '../../tool.ts'
import { operationIdInput, limitInput, operationStateInput } from '../params.ts'
import { operationResult, explorerUrl, tokenAmount } from '../results.ts'
import type { ViewedCrossChain, ViewedOrder } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import type { Hash } from 'viem'
import type { ReadContext } from '../../tool-context.ts'

export const getOperation = readTool({
  name: 'get_operation',
  title: 'Operation',
  description:
    'State of a write that waits or waited: plan, who decided, when it runs, result or error; of an order: open, filled, expired, cancelled or refunded, by the chains. Only those of this key.',
  scope: 'read:portfolio',
  inDataProfile: false,
  openWorld: false,
  input: z.strictObject({ operationId: operationIdInput }),
  output: z.object({
    ...operationResult,
    planHash: z.string(),
    decidedBy: z.string().nullable(),
    decidedAt: z.string().nullable(),
    plan: z.looseObject({}),
    result: z.looseObject({}).nullable(),
    error: z.looseObject({}).nullable(),
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async (input, context) => {
  const { order, crossChain, ...view } = await context.operations.get(input.operationId)
  const source = order === undefined && crossChain === undefined ? 'records' : 'rpc'
  const stamp = { timestamp: new Date(context.now()).toISOString(), source }
  if (crossChain !== undefined) return { ...view, result: await crossChainResult(crossChain, context), ...stamp }
  if (order !== undefined) return { ...view, result: await orderResult(order, context), ...stamp }
  return { ...view, ...stamp }
})

/** What has become of a signed order, in whole tokens; figures of its fill are those of the transaction that filled it. */
async function orderResult(
  { chainId, orderId, order, status, state, fill, isFinal }: ViewedOrder,
  { chains, tokens }: Pick<ReadContext, 'chains' | 'tokens'>,
): Promise<OrderResult> {
  const chain = chains.get(`${chainId}`)
  const [tokenIn, tokenOut] = await Promise.all([
    tokens.byAddress(chain, order.tokenIn),
    tokens.byAddress(chain, order.tokenOut),
  ])
  return {
    orderId,
    status,
    isFinal,
    isAccepted: state !== 'signed',
    tokenIn: { address: tokenIn.address, symbol: tokenIn.symbol },
    tokenOut: { address: tokenOut.address, symbol: tokenOut.symbol },
    amountIn: tokenAmount(fill?.amountIn ?? order.amountIn, tokenIn),
    amountOut: fill === null ? null : tokenAmount(fill.amountOut, tokenOut),
    startAmountOut: tokenAmount(order.startAmountOut, tokenOut),
    minAmountOut: tokenAmount(order.endAmountOut, tokenOut),
    txHash: fill?.txHash ?? null,
    filler: fill?.filler ?? null,
    explorerUrl: fill === null ? null : explorerUrl(chain, fill.txHash),
  }
}

export type OrderResult = {
  readonly orderId: string
  readonly status: ViewedOrder['status']
  /** Whether no later block changes that, so that nothing is reserved for it any more. */
  readonly isFinal: boolean
  /** Whether its fillers took it. */
  readonly isAccepted: boolean
  readonly tokenIn: { readonly address: string; readonly symbol: string }
  readonly tokenOut: { readonly address: string; readonly symbol: string }
  readonly amountIn: string
  /** `null` unless it is filled, as are the three that say by what. */
  readonly amountOut: string | null
  readonly startAmountOut: string
  readonly minAmountOut: string
  readonly txHash: string | null
  readonly filler: string | null
  readonly explorerUrl: string | null
}

/** What has become of a cross-chain order at both ends, in whole tokens. */
async function crossChainResult(
  viewed: ViewedCrossChain,
  { chains, tokens }: Pick<ReadContext, 'chains' | 'tokens'>,
): Promise<CrossChainResult> {
  const { chainId, orderId, order, status, isFinal, openTxHash, fill, refund } = viewed
  const [chain, destination] = [chains.get(`${chainId}`), chains.get(`${order.destinationChainId}`)]
  const [tokenIn, tokenOut] = await Promise.all([
    tokens.byAddress(chain, order.inputToken),
    tokens.byAddress(destination, order.outputToken),
  ])
  const linkTo = (hash: Hash | null, at: Chain) => (hash === null ? null : explorerUrl(at, hash))
  return {
    orderId,
    status,
    isFinal,
    fillDeadline: new Date(order.fillDeadline * 1_000).toISOString(),
    origin: {
      chain: { id: chain.id, name: chain.name },
      tokenIn: { address: tokenIn.address, symbol: tokenIn.symbol },
      amountIn: tokenAmount(order.inputAmount, tokenIn),
      txHash: openTxHash,
      explorerUrl: linkTo(openTxHash, chain),
      refundedAmount: refund === null ? null : tokenAmount(refund.amountIn, tokenIn),
      refundTxHash: refund?.txHash ?? null,
    },
    destination: {
      chain: { id: destination.id, name: destination.name },
      tokenOut: { address: tokenOut.address, symbol: tokenOut.symbol },
      minAmountOut: tokenAmount(order.outputAmount, tokenOut),
      amountOut: fill === null ? null : tokenAmount(fill.amountOut, tokenOut),
      recipient: order.recipient,
      txHash: fill?.txHash ?? null,
      filler: fill?.filler ?? null,
      explorerUrl: linkTo(fill?.txHash ?? null, destination),
    },
  }
}

export type CrossChainResult = {
  readonly orderId: string
  readonly status: ViewedCrossChain['status']
  /** Whether no later block changes that, so that nothing is reserved for it any more. */
  readonly isFinal: boolean
  readonly fillDeadline: string
  readonly origin: {
    readonly chain: { readonly id: number; readonly name: string }
    readonly tokenIn: { readonly address: string; readonly symbol: string }
    readonly amountIn: string
    readonly txHash: string | null
    readonly explorerUrl: string | null
    /** `null` unless it came back. */
    readonly refundedAmount: string | null
    readonly refundTxHash: string | null
  }
  readonly destination: {
    readonly chain: { readonly id: number; readonly name: string }
    readonly tokenOut: { readonly address: string; readonly symbol: string }
    readonly minAmountOut: string
    /** `null` unless it is filled, as are the three that say by what. */
    readonly amountOut: string | null
    readonly recipient: string
    readonly txHash: string | null
    readonly filler: string | null
    readonly explorerUrl: string | null
  }
}

export const executePlan = operationTool({
  name: 'execute_plan',
  title: 'Execute a plan',
  description:
    "Carries out a dry run's plan, an approved operation or a stopped harvest's rest: simulated anew, refused with SIMULATION_DRIFT if it does more or brings less than receivesAtLeast. Swaps are rerouted: deltas may differ. Answers as its tool. Never signs what needs a person or a delay first.",
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    planId: operationIdInput,
    planHash: z
      .string()
      .refine((text) => /^0x[0-9a-f]{64}$/.test(text), 'Accepted: the planHash of the plan')
      .optional()
      .describe('Must match when given'),
  }),
  output: z.looseObject({
    status: z.string().describe('success; scheduled: nothing signed'),
    txHash: z.string().nullable().optional(),
    transactions: z.array(z.string()).optional(),
    operationId: z.string().optional(),
    executeAfter: z.string().optional(),
  }),
}).handler(async ({ planId, planHash }, { operations }) => {
  const { status, ...answer } = await operations.carryOut(planId, planHash ?? null)
  return { ...answer, status: typeof status === 'string' ? status : 'success' }
})

export const listOperations = readTool({
  name: 'list_operations',
  title: 'Operations',
  description:
    'Plans, approval requests, scheduled writes and orders of this key, newest first. get_operation shows one as it is now.',
  scope: 'read:portfolio',
  inDataProfile: false,
  openWorld: false,
  input: z.strictObject({ state: operationStateInput.optional(), limit: limitInput.unwrap().default(10) }),
  output: z.object({
    operations: z.array(z.object(operationResult)),
    hasMore: z.boolean(),
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async ({ state = null, limit }, context) => {
  const found = await context.operations.list({ state, limit: limit + 1 })
  return {
    operations: found.slice(0, limit),
    hasMore: found.length > limit,
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
  }
})

export const cancelOperation = operationTool({
  name: 'cancel_operation',
  title: 'Cancel an operation',
  description:
    'Cancels a plan, a request for approval or a scheduled operation of this key before it runs. Refused once it runs or has ended: a transaction that is out is not taken back.',
  destructive: false,
  idempotent: true,
  openWorld: false,
  input: z.strictObject({ operationId: operationIdInput }),
  output: z.object({ operationId: z.string(), state: z.string(), tool: z.string(), timestamp: z.string() }),
}).handler(async (input, context) => {
  const { operationId, state, tool } = await context.operations.cancel(input.operationId)
  return { operationId, state, tool, timestamp: new Date(context.now()).toISOString() }
})
